import { describe, expect, it } from 'vitest';
import type { ScriptedReply } from '../../../../fakes/model/script.ts';
import type { ModelFailureKind } from '../../../../src/core/step/model-port.ts';
import { failureOf, HELLO, KEY, never, openModel, RUN, scripted } from './open-model.ts';

function status(code: number, error: Readonly<Record<string, unknown>>, headers = {}): ScriptedReply {
  return { fault: 'status', status: code, body: { error }, headers };
}

const FAILURES: readonly (readonly [string, ScriptedReply, ModelFailureKind, RegExp])[] = [
  ['a wrong key', status(401, { message: 'no', code: 'invalid_api_key' }), 'key-rejected', /rejects the key/],
  [
    'a code that every object has',
    status(401, { message: 'no', code: 'constructor' }),
    'key-rejected',
    /rejects the key/,
  ],
  ['a wrong key in other words', status(400, { message: 'API key not valid.' }), 'key-rejected', /rejects the key/],
  ['an unknown model', status(404, { message: 'no', code: 'model_not_found' }), 'model-unknown', /OPENAI_MODEL/],
  ['no quota', status(429, { message: 'no', code: 'insufficient_quota' }), 'no-quota', /no quota left/],
  ['no balance', status(402, { message: 'Insufficient Balance' }), 'no-quota', /asks for payment/],
  ['a full context', status(400, { message: 'x', code: 'context_length_exceeded' }), 'too-long', /longer than/],
  ['a filtered prompt', status(400, { message: 'x', code: 'content_filter' }), 'filtered', /content filter/],
  ['a limit of speed', status(429, { message: 'slow down' }), 'rate-limit', /how fast/],
  [
    'an error in the stream',
    { fault: 'stream-error', error: { message: 'x', code: 502 } },
    'endpoint-failing',
    /failing/,
  ],
  ['a limit in the stream', { fault: 'stream-error', error: { message: 'x', code: 429 } }, 'rate-limit', /how fast/],
  ['a web page', { fault: 'web-page' }, 'wrong-content-type', /web page.*OPENAI_BASE_URL/],
  ['half an answer', { content: 'Half an answer', delivery: { cutAfter: 2 } }, 'cut-off', /broke off/],
  [
    'a body that is not JSON',
    { fault: 'invalid-body', body: '{' },
    'unreadable-answer',
    /form that its API does not have/,
  ],
  ['a reset', { fault: 'reset' }, 'unreachable', /could not be reached/],
];

const TRANSIENT: ReadonlySet<ModelFailureKind> = new Set<ModelFailureKind>([
  ...(['rate-limit', 'endpoint-failing', 'wrong-content-type', 'cut-off', 'unreadable-answer', 'unreachable'] as const),
]);

describe('failures of the endpoint', () => {
  it.each(FAILURES)('%s has its own kind and sentence (S166)', async (_, reply, failure, words) => {
    const endpoint = await scripted(reply);
    const error = await failureOf(openModel(endpoint.url).ask(HELLO, never(), RUN));
    expect([error.report?.failure, error.kind]).toEqual([failure, TRANSIENT.has(failure) ? 'transient' : 'permanent']);
    expect(error.message).toMatch(words);
  });

  it('the report holds what an operator needs, and no secret (S166)', async () => {
    const long = `quota of ${KEY} and ghp_0123456789abcdefghij is used up; ${'see the account, '.repeat(100)}`;
    const error = { message: long, code: 'insufficient_quota', type: 'billing', param: null };
    const endpoint = await scripted(status(429, error, { 'x-request-id': 'req_12' }));
    const { report } = await failureOf(openModel(endpoint.url).ask(HELLO, never(), RUN));
    expect(report).toEqual({
      failure: 'no-quota',
      status: 429,
      code: 'insufficient_quota',
      type: 'billing',
      requestId: 'req_12',
      said: expect.stringMatching(/^quota of \[key\] and \[redacted\] is used up; see/),
    });
    expect(report?.said?.length).toBe(500);
  });

  it('a code or type that is no label is not reported (S166)', async () => {
    const endpoint = await scripted(
      status(400, { message: 'x', code: `${KEY} is wrong`, type: { key: KEY } }, { 'x-request-id': KEY }),
    );
    const { report } = await failureOf(openModel(endpoint.url).ask(HELLO, never(), RUN));
    expect(report).toMatchObject({ code: null, type: null, requestId: null });
  });
});
