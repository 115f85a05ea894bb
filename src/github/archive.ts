import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { GitHubFault } from '../worker/ports.ts';
import { type Connection, repositoryOf } from './connection.ts';

/** Unpacked bytes beyond which an archive is not searched, and its download ends; a single larger file is left out. */
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

type Files = ReadonlyMap<string, Uint8Array>;

async function unpack(body: ReadableStream, commit: string): Promise<Files | null> {
  const tar = extract();
  const download = Readable.fromWeb(body);
  const found: Found = { files: new Map(), unpacked: 0 };
  const reading = readFiles(tar, found, () => void download.destroy());
  try {
    await Promise.all([pipeline(download, createGunzip(), tar), reading]);
  } catch (error) {
    if (isTooMuch(found)) return null;
    throw new GitHubFault(`The archive of ${commit} was cut off`, null, null, { cause: error });
  }
  return isTooMuch(found) ? null : found.files;
}

/** What was read so far, and how many bytes all of it has that came, by its headers. */
type Found = { readonly files: Map<string, Uint8Array>; unpacked: number };

function isTooMuch({ unpacked }: Found): boolean {
  return unpacked > MOST_BYTES;
}

/** Calls back as soon as it is too much: then no more of it is to come. */
async function readFiles(tar: Extract, found: Found, stop: () => void): Promise<void> {
  for await (const entry of tar) {
    const { name, type, size = 0 } = entry.header;
    found.unpacked += size;
    if (isTooMuch(found)) stop();
    const wanted = type === 'file' && size <= MOST_FILE_BYTES && !isTooMuch(found);
    const chunks: Buffer[] = [];
    for await (const chunk of entry) if (wanted && Buffer.isBuffer(chunk)) chunks.push(chunk);
    if (wanted) found.files.set(withoutRoot(name), Buffer.concat(chunks));
  }
}

/** GitHub puts everything below one directory named after repository and commit. */
function withoutRoot(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
