"""deepagents with langchain-e2b, and a model that follows a script."""

from deepagents import create_deep_agent
from e2b import Sandbox
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_e2b import E2BSandbox


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        return self


def call(i, name, **args):
    return AIMessage(content="", tool_calls=[{"name": name, "args": args, "id": f"c{i}"}])


sandbox = Sandbox.create(timeout=300)
try:
    backend = E2BSandbox(sandbox=sandbox)
    model = Scripted(messages=iter([
        call(1, "execute", command="echo $((6 * 7))"),
        call(2, "write_file", file_path="/home/user/answer.txt", content="forty\ntwo\n"),
        call(3, "edit_file", file_path="/home/user/answer.txt", old_string="two", new_string="three"),
        call(4, "read_file", file_path="/home/user/answer.txt"),
        call(5, "grep", pattern="three", path="/home/user"),
        AIMessage(content="It is 42."),
    ]))
    result = create_deep_agent(model=model, backend=backend).invoke({"messages": [{"role": "user", "content": "What is it?"}]})
    outputs = [str(m.content) for m in result["messages"] if isinstance(m, ToolMessage)]
    assert len(outputs) == 5 and "42" in outputs[0] and "three" in outputs[3] and "answer.txt" in outputs[4], outputs
    assert result["messages"][-1].content == "It is 42."
    assert sandbox.files.read("answer.txt") == "forty\nthree\n"
finally:
    sandbox.kill()
print("done")
