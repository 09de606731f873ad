"""Pydantic AI with its workspaces in E2B's sandboxes, and a model that follows a script."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai_harness.e2b_sandbox import E2BSandbox, E2BSandboxBackend
from pydantic_ai_harness.filesystem import FileSystem
from pydantic_ai_harness.shell import Shell

replies = iter([
    ToolCallPart("run_command", {"command": "echo $((6 * 7)) > answer.txt; cat answer.txt"}),
    ToolCallPart("read_file", {"path": "answer.txt"}),
    TextPart("It is 42."),
])


def follow(messages, info):
    return ModelResponse(parts=[next(replies)])


async def main():
    backend = E2BSandboxBackend(template="base", working_dir="/home/user/project", sandbox_timeout=300)
    try:
        agent = Agent(FunctionModel(follow), capabilities=[E2BSandbox(), Shell(tools=["run_command"]), FileSystem()])
        result = await agent.run("What is it?", workspace=backend)
        outputs = [str(p.content) for m in result.all_messages() for p in m.parts if isinstance(p, ToolReturnPart)]
        assert len(outputs) == 2 and all("42" in o for o in outputs), outputs
        assert result.output == "It is 42."
    finally:
        await (await backend.get_sandbox()).kill()


asyncio.run(main())
print("done")
