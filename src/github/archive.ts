import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { GitHubFault } from '../worker/ports.ts';
import { type Connection, repositoryOf } from './connection.ts';

/** Unpacked bytes beyond which an archive is not searched; a single larger file is left out. */
const MOST_BYTES = 100_000_000;
const MOST_FILE_BYTES = 2_000_000;

/**
 * The plain files of a commit from GitHub's archive, by path; null where they are too many to hold. Attributes of the
 * repository may leave files out of it, and change others: no bytes of it are those of a blob until that is checked.
 */
export function fetchArchive(
  { ref, read }: Connection,
  commit: string,
): Promise<ReadonlyMap<string, Uint8Array> | null> {
  return read(async (client) => {
    const response = await client.request('GET /repos/{owner}/{repo}/tarball/{ref}', {
      ...repositoryOf(ref),
      ref: commit,
      request: { parseSuccessResponseBody: false },
    });
    const body: unknown = response.data;
    if (!(body instanceof ReadableStream))
      throw new GitHubFault(`The archive of ${commit} came without bytes`, null, null);
    return unpack(body, commit);
  });
}

async function unpack(body: ReadableStream, commit: string): Promise<ReadonlyMap<string, Uint8Array> | null> {
  const files = new Map<string, Uint8Array>();
  const tar = extract();
  let unpacked = 0;
  const reading = (async () => {
    for await (const entry of tar) {
      const { name, type, size = 0 } = entry.header;
      unpacked += size;
      const wanted = type === 'file' && size <= MOST_FILE_BYTES && unpacked <= MOST_BYTES;
      const chunks: Buffer[] = [];
      for await (const chunk of entry) if (wanted && Buffer.isBuffer(chunk)) chunks.push(chunk);
      if (wanted) files.set(withoutRoot(name), Buffer.concat(chunks));
    }
  })();
  try {
    await Promise.all([pipeline(Readable.fromWeb(body), createGunzip(), tar), reading]);
  } catch (error) {
    throw new GitHubFault(`The archive of ${commit} was cut off`, null, null, { cause: error });
  }
  return unpacked > MOST_BYTES ? null : files;
}

/** GitHub puts everything below one directory named after repository and commit. */
function withoutRoot(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
