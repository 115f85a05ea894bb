import { blobSha } from '../change/blob.ts';
import { GitHubFault } from '../worker/ports.ts';
import { type Connection, cacheKey, repositoryOf } from './connection.ts';

/** Bytes of a blob (GitHub serves up to 100 MB), proved by its SHA and cached by it. */
export async function fetchBlob(connection: Connection, sha: string): Promise<Uint8Array> {
  const { blobs } = connection.caches;
  const key = cacheKey(connection.ref, sha);
  const cached = blobs.get(key);
  if (cached !== undefined) return cached;
  const bytes = await download(connection, sha);
  if (blobSha(bytes) !== sha) throw new GitHubFault(`The bytes of blob ${sha} came incomplete`, null, null);
  blobs.set(key, bytes);
  return bytes;
}

/** Octokit would decode the answer as text where GitHub calls it UTF-8, and lose bytes: the stream is read here. */
function download({ ref, read }: Connection, sha: string): Promise<Uint8Array> {
  return read(async (client) => {
    const response = await client.request('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', {
      ...repositoryOf(ref),
      file_sha: sha,
      headers: { accept: 'application/vnd.github.raw+json' },
      request: { parseSuccessResponseBody: false },
    });
    const body: unknown = response.data;
    if (body === null) return new Uint8Array();
    if (!(body instanceof ReadableStream)) throw new GitHubFault(`Blob ${sha} came without bytes`, null, null);
    return readAll(body, sha);
  });
}

async function readAll(body: ReadableStream, sha: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await new Response(body).arrayBuffer());
  } catch {
    throw new GitHubFault(`The bytes of blob ${sha} were cut off`, null, null);
  }
}
