import { z } from 'zod';
import { SETTINGS_PATH } from '../../core/settings/repo-settings.ts';
import { GitHubError, type SettingsFileLookup } from '../../core/step/ports.ts';
import {
  type CachedFile,
  cacheKey,
  type DefaultBranchFile,
  type PullConnection,
  repositoryParams,
} from './requests/connection.ts';
import { GitHubRequestError, isNotFound } from './requests/errors.ts';

/**
 * A file on the default branch, never on the pull request's; null if there is none. GitHub revalidates the cached file
 * at each call, and an unchanged file costs no quota.
 */
export async function fetchDefaultBranchFile(
  connection: PullConnection,
  path: string,
): Promise<DefaultBranchFile | null> {
  const cached = connection.caches.settings.get(cacheKey(connection.ref, path));
  try {
    return await requestDefaultBranchFile(connection, path, cached);
  } catch (error) {
    if (!(error instanceof GitHubRequestError)) throw error;
    if (error.status === 304 && cached !== undefined) return cached.file;
    if (isNotFound(error)) return null;
    throw error;
  }
}

async function requestDefaultBranchFile(
  connection: PullConnection,
  path: string,
  cached: CachedFile | undefined,
): Promise<DefaultBranchFile> {
  const { ref, read, caches } = connection;
  const { data, headers } = await read((client) =>
    client.rest.repos.getContent({
      ...repositoryParams(ref),
      path,
      ...(cached === undefined ? {} : { headers: { 'if-none-match': cached.etag } }),
    }),
  );
  const found = readContentFile(data, path);
  const file = found.kind !== 'no-file' && (await isLink(connection, path)) ? LINK : found;
  if (headers.etag !== undefined) caches.settings.set(cacheKey(ref, path), { etag: headers.etag, file });
  return file;
}

const ContentFile = z.object({
  type: z.literal('file'),
  size: z.number(),
  sha: z.string().default(''),
  encoding: z.string(),
  content: z.string(),
});

const LINK = { kind: 'link' } as const;

/**
 * Whether git has no file of its own there. The contents of a link are those of its target, which anybody can propose
 * to change like any file.
 */
async function isLink({ ref, read }: PullConnection, path: string): Promise<boolean> {
  const response: unknown = await read((client) => client.graphql(MODE_QUERY, { ...repositoryParams(ref), path }));
  const parsed = ModePage.safeParse(response);
  if (!parsed.success) throw new GitHubError(`GitHub returned the mode of ${path} in an unknown form`, null, null);
  return isLinkMode(parsed.data.repository.defaultBranchRef?.target?.file?.mode);
}

const MODE_QUERY = `query mode($owner: String!, $repo: String!, $path: String!) {
  repository(owner: $owner, name: $repo) {
    defaultBranchRef { target { ... on Commit { file(path: $path) { mode } } } }
  }
}`;

const ModePage = z.object({
  repository: z.object({
    defaultBranchRef: z
      .object({ target: z.object({ file: z.object({ mode: z.number() }).nullish() }).nullable() })
      .nullable(),
  }),
});

const LINK_MODE = 0o120000;

/** Where there is no entry, a directory above it is a link. */
function isLinkMode(mode: number | undefined): boolean {
  return mode === undefined || mode === LINK_MODE;
}

/** GitHub follows links, and omits the content of files above 1 MB. */
function readContentFile(data: unknown, path: string): DefaultBranchFile {
  const file = ContentFile.safeParse(data);
  if (!file.success) return { kind: 'no-file' };
  const { size, sha, encoding, content } = file.data;
  if (encoding !== 'base64') return { kind: 'too-large', size, sha };
  const bytes = Buffer.from(content, 'base64');
  if (bytes.byteLength !== size) throw new GitHubError(`${path} is incomplete`, null, null);
  return { kind: 'file', bytes };
}

/** The settings file on the default branch; null if there is none. */
export async function fetchSettingsFile(connection: PullConnection): Promise<SettingsFileLookup | null> {
  const file = await fetchDefaultBranchFile(connection, SETTINGS_PATH);
  return file?.kind === 'too-large' ? { kind: 'too-large', size: file.size } : file;
}
