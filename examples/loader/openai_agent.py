"""OpenAI SDK: pip install openai. Tools and instructions are those that were approved."""
import json
from openai import OpenAI
from call import call
from load import load

def answer(agent, question, model="gpt-5"):
    client, config = OpenAI(), load(agent, "openai")
    messages = [{"role": "system", "content": config["prompt"]}, {"role": "user", "content": question}]
    while True:
        said = client.chat.completions.create(model=model, messages=messages, tools=config["tools"]).choices[0].message
        if not said.tool_calls:
            return said.content
        messages.append(said)
        for c in said.tool_calls:
            result = call(agent, c.function.name, json.loads(c.function.arguments))
            messages.append({"role": "tool", "tool_call_id": c.id, "content": result})
