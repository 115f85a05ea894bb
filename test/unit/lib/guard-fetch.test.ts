import { describe, expect, it } from 'vitest';
import {
  ForeignOriginError,
  guardFetch,
  RedirectError,
  ResponseTooLargeError,
  type SendRequest,
} from '../../../src/lib/guard-fetch.ts';

const API = 'https://api.example.com';

const DOWNLOADS = 'https://downloads.example.com';

type Sent = { readonly url: string; readonly method: string; readonly body: unknown; readonly headers: Headers };

/** Answers with the responses in this order, and records the requests. */
function scripted(...responses: readonly Response[]): { readonly send: SendRequest; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const send: SendRequest = async (address, { method = 'GET', body, headers, redirect } = {}) => {
    expect(redirect).toBe('manual');
    sent.push({ url: String(address), method, body, headers: new Headers(headers) });
    const response = responses[sent.length - 1];
    if (response === undefined) throw new Error('an unexpected request');
    return response;
  };
  return { send, sent };
}

function redirect(status: number, location?: string): Response {
  return new Response(null, { status, ...(location === undefined ? {} : { headers: { location } }) });
}

function guarded(send: SendRequest, origins: readonly string[] = [API], maxBytes = 100): SendRequest {
  return guardFetch(send, { origins, maxBytes });
}

const WITH_TOKEN = { headers: { authorization: 'token x', cookie: 'y', accept: 'z' } };

describe('redirects', () => {
  it.each([`${API}/new?a=1`, '/new?a=1', '//api.example.com/new?a=1'])(
    'to %s on the same origin are followed with the token (X12)',
    async (location) => {
      const { send, sent } = scripted(redirect(301, location), new Response('found'));
      expect(await (await guarded(send)(`${API}/old`, WITH_TOKEN)).text()).toBe('found');
      expect(sent.map(({ url }) => url)).toEqual([`${API}/old`, `${API}/new?a=1`]);
      expect(sent[1]?.headers.get('authorization')).toBe('token x');
    },
  );

  it.each([
    'https://evil.example.com/old',
    'http://api.example.com/old',
    'https://api.example.com:8443/old',
    'https://api.example.com.evil.example/old',
    'https://api.example.com@evil.example/old',
    '//evil.example.com/old',
    'file:///etc/passwd',
    'data:application/json,{}',
  ])('to %s are refused, and nothing is sent there (X12)', async (location) => {
    const { send, sent } = scripted(redirect(302, location));
    await expect(guarded(send)(`${API}/old`)).rejects.toThrow(ForeignOriginError);
    expect(sent).toHaveLength(1);
  });

  it('to an allowed other origin are followed without credentials (X12)', async () => {
    const { send, sent } = scripted(redirect(302, `${DOWNLOADS}/a`), redirect(302, '/b'), new Response('bytes'));
    await guarded(send, [API, DOWNLOADS])(`${API}/archive`, WITH_TOKEN);
    expect(sent.map(({ url }) => url)).toEqual([`${API}/archive`, `${DOWNLOADS}/a`, `${DOWNLOADS}/b`]);
    expect(sent.slice(1).map(({ headers }) => Object.fromEntries(headers))).toEqual([{ accept: 'z' }, { accept: 'z' }]);
  });

  it.each([307, 308])('with status %i repeat a write with its body (X12)', async (status) => {
    const { send, sent } = scripted(redirect(status, '/new'), new Response('written'));
    await guarded(send)(`${API}/old`, { method: 'POST', body: 'text' });
    expect(sent[1]).toMatchObject({ url: `${API}/new`, method: 'POST', body: 'text' });
  });

  it.each([301, 302, 303])('with status %i never turn a write into a read (X12)', async (status) => {
    const { send, sent } = scripted(redirect(status, '/new'));
    await expect(guarded(send)(`${API}/old`, { method: 'POST', body: 'text' })).rejects.toThrow(RedirectError);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['no address', redirect(302)],
    ['an address that is none', redirect(302, 'https://')],
  ])('with %s are refused (X12)', async (_what, response) => {
    await expect(guarded(scripted(response).send)(`${API}/old`)).rejects.toThrow(RedirectError);
  });

  it('in a circle end after five (X12)', async () => {
    const { send, sent } = scripted(...Array.from({ length: 9 }, () => redirect(302, '/old')));
    await expect(guarded(send)(`${API}/old`)).rejects.toThrow(RedirectError);
    expect(sent).toHaveLength(6);
  });
});

it('a request to a foreign address is never sent, so a link of a response cannot take the token away (X12)', async () => {
  const { send, sent } = scripted();
  await expect(guarded(send)('https://evil.example.com/page/2', WITH_TOKEN)).rejects.toThrow(ForeignOriginError);
  expect(sent).toEqual([]);
});

describe('bodies', () => {
  it('up to the limit arrive as they are, with status, headers and address (X19)', async () => {
    const response = new Response('x'.repeat(100), { status: 418, headers: { 'x-a': 'b' } });
    Object.defineProperty(response, 'url', { value: `${API}/final` });
    const guardedResponse = await guarded(scripted(response).send)(`${API}/old`);
    expect(guardedResponse).toMatchObject({ status: 418, url: `${API}/final` });
    expect(guardedResponse.headers.get('x-a')).toBe('b');
    expect(await guardedResponse.text()).toBe('x'.repeat(100));
  });

  it('above the limit fail, and the rest is not read (X19)', async () => {
    let [pulled, isCancelled] = [0, false];
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(30));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const response = await guarded(scripted(new Response(endless)).send)(`${API}/old`);
    await expect(response.arrayBuffer()).rejects.toThrow(ResponseTooLargeError);
    await expect.poll(() => isCancelled).toBe(true);
    expect(pulled).toBeLessThan(8);
  });
});
