"""A graph of LangGraph: a model, its tools, and the way back. pip install langgraph langchain-openai"""

import os
import sys
import urllib.request

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


@tool
def read_page(url: str) -> str:
    """The text of a web page."""
    with urllib.request.urlopen(url, timeout=60) as page:
        return page.read().decode(errors="replace")[:20_000]


model = ChatOpenAI(model=os.environ["GAIA_MODEL"]).bind_tools([read_page])


def ask(state: MessagesState) -> dict[str, list[object]]:
    """Ask the model for the next step."""
    return {"messages": [model.invoke(state["messages"])]}


graph = StateGraph(MessagesState)
graph.add_node("model", ask)
graph.add_node("tools", ToolNode([read_page]))
graph.add_edge(START, "model")
graph.add_conditional_edges("model", tools_condition)
graph.add_edge("tools", "model")
question = [
    ("system", "Answer the question. End with one line: FINAL ANSWER: your answer"),
    ("user", sys.stdin.read()),
]
print(graph.compile().invoke({"messages": question})["messages"][-1].text)
