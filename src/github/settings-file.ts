import { z } from 'zod';
import { type FoundFile, SETTINGS_PATH } from '../settings/read-settings.ts';
import { GitHubFault } from '../worker/ports.ts';
import { type Connection, cacheKey, type RememberedFile, repositoryOf } from './connection.ts';
import { RequestFault } from './faults.ts';

const ContentFile = z.object({
  type: z.literal('file'),
  size: z.number(),
  encoding: z.string(),
  content: z.string(),
});

/**
 * The repository's settings as they stand on its default branch now; null where there is no such file. Whatever a pull
 * request's branch says is never looked at. Asked anew each time, but an unchanged file costs no quota.
 */
export async function fetchSettingsFile(connection: Connection): Promise<FoundFile | null> {
  const remembered = connection.caches.settings.get(cacheKey(connection.ref, SETTINGS_PATH));
  try {
    return await ask(connection, remembered);
  } catch (error) {
    if (!(error instanceof RequestFault)) throw error;
    if (error.status === 304 && remembered !== undefined) return remembered.found;
    if (error.status === 404) return null;
    throw error;
  }
}

async function ask(connection: Connection, remembered: RememberedFile | undefined): Promise<FoundFile> {
  const { ref, read, caches } = connection;
  const { data, headers } = await read((client) =>
    client.request('GET /repos/{owner}/{repo}/contents/{path}', {
      ...repositoryOf(ref),
      path: SETTINGS_PATH,
      ...(remembered === undefined ? {} : { headers: { 'if-none-match': remembered.etag } }),
    }),
  );
  const found = fileIn(data);
  if (headers.etag !== undefined) caches.settings.set(cacheKey(ref, SETTINGS_PATH), { etag: headers.etag, found });
  return found;
}

/** GitHub follows links itself, and leaves out the content of files above a megabyte. */
function fileIn(data: unknown): FoundFile {
  const file = ContentFile.safeParse(data);
  if (!file.success) return { kind: 'no-file' };
  const { size, encoding, content } = file.data;
  if (encoding !== 'base64') return { kind: 'too-large', size };
  const bytes = Buffer.from(content, 'base64');
  if (bytes.byteLength !== size) throw new GitHubFault(`${SETTINGS_PATH} came incomplete`, null, null);
  return { kind: 'file', bytes };
}
