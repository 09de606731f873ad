# OpenAI's library for Python, at the server and with the key that the arguments name.
import base64
import sys

from openai import NotFoundError, OpenAI

url, key = sys.argv[1:]
client = OpenAI(base_url=url + "/openai/v1", api_key=key)
assert "praxis" in [model.id for model in client.models.list()]
csv = "data:text/csv;base64," + base64.b64encode(b"amount\n10\n32.5\n").decode()

messages = [{"role": "user", "content": [
    {"type": "text", "text": "What is the total?"},
    {"type": "file", "file": {"filename": "sales.csv", "file_data": csv}}]}]
answer = client.chat.completions.create(model="praxis", messages=messages)
assert answer.choices[0].message.content.startswith("The total is 42.50."), answer
assert answer.usage.total_tokens == 280 and answer.praxis["verified"], answer

messages += [answer.choices[0].message, {"role": "user", "content": "And twice that?"}]
text, thought, usage = "", "", None
for chunk in client.chat.completions.create(model="praxis", messages=messages, stream=True, stream_options={"include_usage": True}):
    usage = chunk.usage or usage
    for choice in chunk.choices:
        text += choice.delta.content or ""
        thought += getattr(choice.delta, "reasoning_content", None) or ""
assert text == "Twice that is 85.0." and "total * 2" in thought and usage.total_tokens == 470, (text, thought, usage)

with client.responses.stream(model="praxis", input=[{"role": "user", "content": [
        {"type": "input_text", "text": "What is the total?"},
        {"type": "input_file", "filename": "sales.csv", "file_data": csv}]}]) as stream:
    for event in stream:
        pass
    first = stream.get_final_response()
assert [item.type for item in first.output] == ["reasoning", "code_interpreter_call", "reasoning", "message"], first
file = first.output[-1].content[0].annotations[0].file_id
assert client.files.content(file).read() == b"42.5"
second = client.responses.create(model="praxis", input="And twice that?", previous_response_id=first.id)
assert second.output_text == "Twice that is 85.0." and client.responses.retrieve(second.id).id == second.id, second
client.responses.delete(second.id)
try:
    client.responses.retrieve(second.id)
except NotFoundError as refused:
    print("done:", refused)
