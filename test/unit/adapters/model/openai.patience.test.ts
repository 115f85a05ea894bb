import { Agent, type Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { delay } from '../../../../src/lib/delay.ts';
import { failureOf, HELLO, never, openModel, RUN, raw } from './open-model.ts';

/** Stands for the 300 s of Node's `fetch`. Its timers tick once a second. */
const LIMIT_MS = 1;

const SILENCE_MS = 1_500;

const STREAM = { 'content-type': 'text/event-stream' };

const WORDS = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Slow.' } }] })}\n\n`;

const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

const before = getGlobalDispatcher();

/** Stands for a proxy of the process. */
let sent: (string | undefined)[] = [];

beforeEach(() => {
  sent = [];
  const observe =
    (dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] =>
    (options, handler) => {
      sent.push(options.path);
      return dispatch(options, handler);
    };
  setGlobalDispatcher(new Agent({ headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS }).compose(observe));
});

afterEach(async () => {
  const patched = getGlobalDispatcher();
  setGlobalDispatcher(before);
  await patched.close();
});

describe('a model that is slower than the process’s own limits', () => {
  it('may be silent before its headers, and in the middle of its answer (S163)', async () => {
    const late = await raw(async (response) => {
      await delay(SILENCE_MS);
      response.writeHead(200, STREAM).end(WORDS + END);
    });
    const halting = await raw(async (response) => {
      response.writeHead(200, STREAM).write(WORDS);
      await delay(SILENCE_MS);
      response.end(END);
    });
    const answers = [late, halting].map(({ url }) => openModel(url).ask(HELLO, never(), RUN));
    const slow = expect.objectContaining({ content: 'Slow.' });
    expect(await Promise.all(answers)).toEqual([slow, slow]);
    expect(sent).toEqual(['/chat/completions', '/chat/completions']);
  });

  it('has its whole time for the first byte, and no more (S163)', async () => {
    const endpoint = await raw(() => undefined);
    const model = openModel(endpoint.url, { limits: { timeoutMs: 200, idleTimeoutMs: LIMIT_MS } });
    expect((await failureOf(model.ask(HELLO, never(), RUN))).report).toMatchObject({ failure: 'timeout' });
  });
});
