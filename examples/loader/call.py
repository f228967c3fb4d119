import json, os, urllib.error, urllib.request

def call(agent, tool, args):
    request = urllib.request.Request(f"{os.environ['TOOLCRIB_URL']}/v1/agents/{agent}/execute", method="POST",
                                     data=json.dumps({"tool": tool, "args": args}).encode(),
                                     headers={"Authorization": "Bearer " + os.environ["TOOLCRIB_TOKEN"]})
    try:
        return urllib.request.urlopen(request).read().decode()
    except urllib.error.HTTPError as refused:  # the model reads why, and can mend the call
        return refused.read().decode()
