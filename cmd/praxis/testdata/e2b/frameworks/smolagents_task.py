"""smolagents with its E2BExecutor, and a model that follows a script."""

from smolagents import CodeAgent, Model, tool
from smolagents.models import ChatMessage, MessageRole


class Scripted(Model):
    def __init__(self, replies):
        super().__init__(model_id="scripted")
        self.replies = iter(replies)

    def generate(self, messages, **_):
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: go on.\n<code>\n{next(self.replies)}\n</code>")


@tool
def double(n: int) -> int:
    """Doubles a number.

    Args:
        n: the number
    """
    return 2 * n


model = Scripted(["x = double(n=4)\nprint('x is', x)", "undefined_name", "final_answer({'x': x + 1})"])
with CodeAgent(tools=[double], model=model, executor_type="e2b", max_steps=4) as agent:
    answer = agent.run("What is it?")
    steps = agent.memory.steps
assert answer == {"x": 9}, answer
assert any("x is 8" in str(s.observations) for s in steps if hasattr(s, "observations")), steps
print("done")
