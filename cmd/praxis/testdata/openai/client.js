// OpenAI's library for Node, at the server and with the key that the arguments name.
const assert = require('node:assert');
const {OpenAI} = require('openai');

const [url, key] = process.argv.slice(2);
require('node:http').setGlobalProxyFromEnv(); // the way out of the sandbox that this runs in
const client = new OpenAI({baseURL: url + '/openai/v1', apiKey: key});
const csv = 'data:text/csv;base64,' + Buffer.from('amount\n10\n32.5\n').toString('base64');

const chat = client.chat.completions.stream({
  model: 'praxis', stream_options: {include_usage: true},
  messages: [{role: 'user', content: [{type: 'text', text: 'What is the total?'}, {type: 'file', file: {filename: 'sales.csv', file_data: csv}}]}],
});
const answer = await chat.finalChatCompletion();
assert(answer.choices[0].message.content.startsWith('The total is 42.50.'));
assert.equal(answer.usage.total_tokens, 280);

const stream = client.responses.stream({
  model: 'praxis',
  input: [{role: 'user', content: [{type: 'input_text', text: 'What is the total?'}, {type: 'input_file', filename: 'sales.csv', file_data: csv}]}],
});
const response = await stream.finalResponse();
assert.deepEqual(response.output.map((item) => item.type), ['reasoning', 'code_interpreter_call', 'reasoning', 'message']);
await assert.rejects(client.chat.completions.create({model: 'none', messages: [{role: 'user', content: 'x'}]}), {status: 404, param: 'model'});
console.log('done');
