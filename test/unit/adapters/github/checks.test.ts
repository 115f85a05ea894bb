import { describe, expect, it } from 'vitest';
import { createDownload } from '../../../../src/adapters/github/checks.ts';

const ORIGIN = 'https://api.github.com';

const STORAGE = 'https://results.blob.example/log.txt?sig=1';

/** A storage that answers in this way, and the requests that it got. */
function storage(answer: (range: string) => Response) {
  const asked: RequestInit[] = [];
  const fetch = async (_address: string, options: RequestInit): Promise<Response> => {
    asked.push(options);
    return answer(new Headers(options.headers).get('range') ?? '');
  };
  return { asked, download: createDownload(fetch, ORIGIN) };
}

const text = (bytes: Uint8Array | null): string | null => (bytes === null ? null : Buffer.from(bytes).toString());

describe('the end of a log in GitHub’s storage (CK2)', () => {
  it('takes a range from the end where the storage knows one', async () => {
    const { asked, download } = storage(() => new Response('end', { status: 206 }));
    expect(text(await download(STORAGE))).toBe('end');
    expect(asked).toHaveLength(1);
  });

  it('asks again from a first byte where the storage sends everything', async () => {
    const size = 50_000_000;
    const { asked, download } = storage((range) =>
      range.startsWith('bytes=-')
        ? new Response('whole', { headers: { 'content-length': String(size) } })
        : new Response('end', { status: 206 }),
    );
    expect(text(await download(STORAGE))).toBe('end');
    expect(new Headers(asked[1]?.headers).get('range')).toBe(`bytes=${size - 96 * 1024}-`);
  });

  it('keeps only the end of what comes without a length', async () => {
    const chunks = Array.from({ length: 40 }, (_, at) => new Uint8Array(64 * 1024).fill(97 + (at % 26)));
    const { download } = storage(() => new Response(ReadableStream.from(chunks)));
    const end = await download(STORAGE);
    expect(end?.byteLength).toBe(96 * 1024);
    expect(end?.at(-1)).toBe(97 + (39 % 26));
  });

  it('sends no credentials, follows no redirect, and asks nothing but HTTPS', async () => {
    const { asked, download } = storage(() => new Response('x', { status: 206 }));
    for (const address of ['http://169.254.169.254/latest', 'file:///etc/passwd', 'https://']) {
      expect(await download(address)).toBeNull();
    }
    await download(STORAGE);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.redirect).toBe('error');
    expect([...new Headers(asked[0]?.headers).keys()]).toEqual(['range']);
  });

  it('is nothing where the storage refuses or has none', async () => {
    expect(await storage(() => new Response('', { status: 404 })).download(STORAGE)).toBeNull();
  });
});
