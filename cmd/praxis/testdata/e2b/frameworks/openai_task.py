"""OpenAI's Agents SDK with its client for E2B's sandboxes, and a model that follows a script."""

import asyncio
import json

from agents import Model, ModelResponse, RunConfig, Runner, Usage, set_tracing_disabled
from agents.extensions.sandbox.e2b import E2BSandboxClient, E2BSandboxClientOptions
from agents.run_config import SandboxRunConfig
from agents.sandbox import Manifest, SandboxAgent
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)


def call(i, **arguments):
    return ResponseFunctionToolCall(type="function_call", call_id=f"c{i}", name="exec_command", arguments=json.dumps(arguments))


def say(text):
    content = [ResponseOutputText(type="output_text", text=text, annotations=[])]
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=content)


class Scripted(Model):
    def __init__(self, replies):
        self.replies = iter(replies)
        self.seen = []

    async def get_response(self, system_instructions, input, *_, **__):
        self.seen.append(input)
        return ModelResponse(output=[next(self.replies)], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


async def main():
    model = Scripted([call(1, cmd="echo $((6 * 7)) > answer.txt && pwd"), call(2, cmd="cat answer.txt"), say("It is 42.")])
    agent = SandboxAgent(name="a", instructions="Answer.", model=model)
    sandbox = SandboxRunConfig(
        client=E2BSandboxClient(),
        options=E2BSandboxClientOptions(sandbox_type="e2b_code_interpreter", timeout=300),
        manifest=Manifest(root="/home/user/workspace"),
    )
    result = await Runner.run(agent, "What is it?", run_config=RunConfig(sandbox=sandbox))
    outputs = [item["output"] for item in model.seen[-1] if isinstance(item, dict) and item.get("type") == "function_call_output"]
    assert "/home/user/workspace" in outputs[0] and "42" in outputs[1], outputs
    assert result.final_output == "It is 42."


asyncio.run(main())
print("done")
