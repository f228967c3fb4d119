import json, os, urllib.request

def load(agent, format="openai", copy="catalog.json"):
    """Returns the agent's tools and prompt: the last good copy while the server is away, none when it refuses."""
    kept = json.load(open(copy)) if os.path.exists(copy) else {"tag": "", "config": None}
    request = urllib.request.Request(f"{os.environ['TOOLCRIB_URL']}/v1/agents/{agent}/config?format={format}",
                                     headers={"Authorization": "Bearer " + os.environ["TOOLCRIB_TOKEN"], "If-None-Match": kept["tag"]})
    try:
        with urllib.request.urlopen(request, timeout=2) as answer:
            kept = {"tag": answer.headers["ETag"], "config": json.load(answer)}
        with open(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(kept, file)
    except OSError as error:  # status 304 means the copy, and 4xx that the token or the agent is not valid any more
        if 400 <= getattr(error, "code", 0) < 500 or kept["config"] is None: raise
    return kept["config"]
