"""LangChain: pip install langchain-core. Every approved tool as a StructuredTool."""
from langchain_core.tools import StructuredTool
from load import load
from call import call

def tools(agent):
    def tool(t):
        return StructuredTool.from_function(lambda **args: call(agent, t["name"], args), name=t["name"],
                                            description=t.get("description", ""), args_schema=t["input_schema"])
    return [tool(t) for t in load(agent, "anthropic")["tools"]]
