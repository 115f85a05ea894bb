import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { fetchArchive } from '../../../../src/adapters/github/repository.ts';
import { GitHubError } from '../../../../src/core/step/ports.ts';

const MEGABYTE = 1_000_000;

const COMMIT = 'a'.repeat(40);

/** An archive of files that consist of this character. */
async function archiveOf(files: Readonly<Record<string, number>>): Promise<Buffer> {
  const tar = pack();
  for (const [path, size] of Object.entries(files)) tar.entry({ name: `ana-shop-aaaaaaa/${path}` }, 'x'.repeat(size));
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function fetched(body: ReadableStream): Promise<ReadonlyMap<string, Uint8Array> | null> {
  const read = { rest: { repos: { downloadTarballArchive: async () => ({ data: body }) } } };
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
    // Without the two empty blocks at its end, so that another part can follow.
    const part = gzipSync((await archiveOf({ 'a.bin': MEGABYTE })).subarray(0, -1024), { level: 0 });
    const endless = new ReadableStream({
      pull(controller) {
        asked.megabytes += 1;
        controller.enqueue(part);
      },
      cancel() {
        asked.over = true;
      },
    });
    expect(await fetched(endless)).toBeNull();
    await expect.poll(() => asked.over, { interval: 5 }).toBe(true);
    expect(asked.megabytes).toBeLessThan(200);
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
