"""Anthropic SDK: pip install anthropic. Tools and instructions are those that were approved."""
from anthropic import Anthropic
from call import call
from load import load

def answer(agent, question, model="claude-sonnet-4-5"):
    client, config = Anthropic(), load(agent, "anthropic")
    messages = [{"role": "user", "content": question}]
    while True:
        said = client.messages.create(model=model, max_tokens=4096, system=config["prompt"], messages=messages, tools=config["tools"])
        if said.stop_reason != "tool_use":
            return "".join(block.text for block in said.content if block.type == "text")
        results = [{"type": "tool_result", "tool_use_id": block.id, "content": call(agent, block.name, block.input)}
                   for block in said.content if block.type == "tool_use"]
        messages += [{"role": "assistant", "content": said.content}, {"role": "user", "content": results}]
