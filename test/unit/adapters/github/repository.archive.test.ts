import { gzipSync } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { fetchArchive } from '../../../../src/adapters/github/repository.ts';
import { GitHubError } from '../../../../src/core/step/ports.ts';

const MEGABYTE = 1_000_000;

const COMMIT = 'a'.repeat(40);

/** An archive of files that consist of this character. */
async function archiveOf(files: Readonly<Record<string, number>>): Promise<Buffer> {
  return packed((tar) => {
    for (const [path, size] of Object.entries(files)) tar.entry({ name: `ana-shop-aaaaaaa/${path}` }, 'x'.repeat(size));
  });
}

async function packed(fill: (tar: Pack) => void): Promise<Buffer> {
  const tar = pack();
  fill(tar);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The archive header of a file of this size. */
async function headerOf(path: string, size: number): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: `ana-shop-aaaaaaa/${path}`, size });
  for await (const chunk of tar) if (Buffer.isBuffer(chunk)) return chunk;
  throw new Error('An archive begins with a header');
}

function fetched(body: ReadableStream): Promise<ReadonlyMap<string, Uint8Array> | null> {
  const client = { rest: { repos: { downloadTarballArchive: async () => ({ data: body }) } } };
  const read = (ask: (given: typeof client) => Promise<unknown>) => ask(client);
  return fetchArchive(Object.assign(Object.create(null), { ref: { owner: 'ana', repo: 'shop' }, read }), COMMIT);
}

function sentAtOnce(bytes: Uint8Array): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

describe('the archive of a commit', () => {
  it('is not read further once it is too large to be searched (H9)', async () => {
    const asked = { megabytes: 0, over: false };
    const more = gzipSync(Buffer.alloc(MEGABYTE), { level: 0 });
    const begin = gzipSync(await headerOf('large.bin', 900 * MEGABYTE));
    const endless = new ReadableStream({
      start: (controller) => controller.enqueue(begin),
      pull(controller) {
        asked.megabytes += 1;
        controller.enqueue(more);
      },
      cancel() {
        asked.over = true;
      },
    });
    expect(await fetched(endless)).toBeNull();
    await expect.poll(() => asked.over, { interval: 5 }).toBe(true);
    expect(asked.megabytes).toBeLessThan(100);
  });

  it('is too large to be searched, and not faulty, with a link whose target is 5 MB long (X19)', async () => {
    const archive = await packed((tar) => {
      tar.entry({ name: 'ana-shop-aaaaaaa/a.txt' }, 'x');
      tar.entry({ name: 'ana-shop-aaaaaaa/link', type: 'symlink', linkname: 'x'.repeat(5 * MEGABYTE) });
    });
    expect(await fetched(sentAtOnce(gzipSync(archive)))).toBeNull();
  });

  it('is not read further either if headers take more room than files (X19)', async () => {
    const asked = { times: 0 };
    const target = 'x'.repeat(3 * MEGABYTE);
    const link = await packed((tar) => tar.entry({ name: 'ana-shop-aaaaaaa/l', type: 'symlink', linkname: target }));
    // Without the two empty blocks at its end, so that another part can follow.
    const part = gzipSync(link.subarray(0, -1024));
    const endless = new ReadableStream({
      pull(controller) {
        asked.times += 1;
        controller.enqueue(part);
      },
    });
    expect(await fetched(endless)).toBeNull();
    expect(asked.times * 3).toBeLessThan(1000);
  });

  it('contains all files except larger ones', async () => {
    const files = await fetched(
      sentAtOnce(gzipSync(await archiveOf({ 'a.txt': 5, 'large.bin': 3 * MEGABYTE, 'src/b.txt': 6 }))),
    );
    expect([...(files ?? [])].map(([path, bytes]) => [path, Buffer.from(bytes).toString()])).toEqual([
      ['a.txt', 'xxxxx'],
      ['src/b.txt', 'xxxxxx'],
    ]);
  });

  it('if truncated, is a transient error (H7)', async () => {
    const part = gzipSync(await archiveOf({ 'a.txt': MEGABYTE })).subarray(0, 500);
    await expect(fetched(sentAtOnce(part))).rejects.toThrow(GitHubError);
  });
});
