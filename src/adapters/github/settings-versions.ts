import { z } from 'zod';
import { MISNAMED_SETTINGS_PATH, SETTINGS_PATH } from '../../core/settings/repo-settings.ts';
import { GitHubError, type SettingsFileLookup, type SettingsVersions } from '../../core/step/ports.ts';
import { isLinkMode, readContentFile } from './default-branch-file.ts';
import { type PullConnection, repositoryParams } from './requests/connection.ts';
import { isNotFound } from './requests/errors.ts';

/** The settings file at the head of the pull request and on the default branch, without its text, in one request. */
export async function fetchSettingsVersions({ ref, read }: PullConnection): Promise<SettingsVersions | null> {
  const response: unknown = await read((client) =>
    client.graphql(SETTINGS_QUERY, {
      ...repositoryParams(ref),
      number: ref.number,
      path: SETTINGS_PATH,
      misnamed: MISNAMED_SETTINGS_PATH,
    }),
  );
  const parsed = SettingsPage.safeParse(response);
  if (!parsed.success) throw new GitHubError('GitHub returned the settings files in an unknown form', null, null);
  const { pullRequest, defaultBranchRef } = parsed.data.repository;
  if (pullRequest === null || defaultBranchRef?.target == null) return null;
  const { state, baseRefName, headRefOid } = pullRequest;
  const head = pullRequest.commits.nodes?.at(-1)?.commit;
  const isHeadKnown = head?.oid === headRefOid;
  return {
    isOpen: state === 'OPEN',
    baseRef: baseRefName,
    headSha: headRefOid,
    defaultBranch: defaultBranchRef.name,
    defaultSha: defaultBranchRef.target.oid,
    isMisnamed: isHeadKnown && head.misnamed != null && defaultBranchRef.target.misnamed == null,
    isSameFile: isHeadKnown && isSameEntry(head.file, defaultBranchRef.target.file),
    isLink: isHeadKnown && head.file != null && isLinkMode(head.file.mode),
  };
}

/** A commit of a fork has no branch in this repository, but it is a commit of the pull request. */
const SETTINGS_QUERY = `query settings($owner: String!, $repo: String!, $number: Int!, $path: String!, $misnamed: String!) {
  repository(owner: $owner, name: $repo) {
    defaultBranchRef { name target { oid ... on Commit { ...files } } }
    pullRequest(number: $number) {
      state baseRefName headRefOid
      commits(last: 1) { nodes { commit { oid ...files } } }
    }
  }
}
fragment files on Commit { file(path: $path) { oid mode } misnamed: file(path: $misnamed) { oid mode } }`;

const FileEntry = z.object({ oid: z.string(), mode: z.number() }).nullish();

type FileEntry = z.infer<typeof FileEntry>;

/** A link has the bytes of its target's name. */
function isSameEntry(one: FileEntry, other: FileEntry): boolean {
  return (one?.oid ?? null) === (other?.oid ?? null) && (one?.mode ?? null) === (other?.mode ?? null);
}

const Commit = z.object({ oid: z.string(), file: FileEntry, misnamed: FileEntry });

const SettingsPage = z.object({
  repository: z.object({
    defaultBranchRef: z.object({ name: z.string(), target: Commit.nullable() }).nullable(),
    pullRequest: z
      .object({
        state: z.string(),
        baseRefName: z.string(),
        headRefOid: z.string(),
        commits: z.object({ nodes: z.array(z.object({ commit: Commit }).nullable()).nullable() }),
      })
      .nullable(),
  }),
});

/** The settings file of a commit; null if there is none. */
export async function fetchSettingsFileAt(
  { ref, read }: PullConnection,
  commit: string,
): Promise<SettingsFileLookup | null> {
  try {
    const { data } = await read((client) =>
      client.rest.repos.getContent({ ...repositoryParams(ref), path: SETTINGS_PATH, ref: commit }),
    );
    return readContentFile(data, SETTINGS_PATH);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}
