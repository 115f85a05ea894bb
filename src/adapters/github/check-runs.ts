import {
  CHECK_RUN_NAME,
  type CheckRunPage,
  type FoundCheckRun,
  type OutdatedCheckRunPage,
} from '../../core/state/pull-state.ts';
import { GitHubError, means } from '../../core/step/ports.ts';
import { cacheKey, PAGES, type PullConnection, pullKey, pullParams, repositoryParams } from './requests/connection.ts';
import { hasRemedy, nullIfGone } from './requests/errors.ts';

/** Asks nothing that GitHub refused a short while ago: everything else works without check runs and the label. */
async function unlessRefused<Result>(
  { caches: { refused } }: PullConnection,
  key: string,
  request: () => Promise<Result>,
  isRefusal: (error: unknown) => boolean,
): Promise<Result | null> {
  if (refused.get(key) !== undefined) return null;
  try {
    return await request();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // A refusal of a token is remembered with it.
    if (!hasRemedy(error, 'lesser-token')) refused.set(key, 'refused');
    return null;
  }
}

/** Null for an installation without the permission, and for a commit or check run that is gone. */
function ifGranted<Result>(connection: PullConnection, request: () => Promise<Result>): Promise<Result | null> {
  const key = `checks:${connection.ref.installationId}`;
  const isRefusal = (error: unknown): boolean => means(error, 'not-allowed');
  return unlessRefused(connection, key, () => nullIfGone(request()), isRefusal);
}

/** The App's check runs on a commit, newest first. */
export async function findCheckRuns(
  connection: PullConnection,
  head: string,
  slug: string,
): Promise<readonly FoundCheckRun[] | null> {
  const { ref, writeChecks } = connection;
  const params = { ...repositoryParams(ref), ref: head, check_name: CHECK_RUN_NAME, filter: 'all', ...PAGES } as const;
  const runs = await ifGranted(connection, () => writeChecks.paginate(writeChecks.rest.checks.listForRef, params));
  if (runs === null) return null;
  // Another App can give its runs any name and id of ours.
  const own = runs.filter(({ app }) => app?.slug === slug);
  return own.map(({ id, conclusion, external_id: externalId }) => ({ id, conclusion, externalId: externalId ?? '' }));
}

/** Creates the completed check run of a commit. */
export async function createCheckRun(
  connection: PullConnection,
  head: string,
  page: CheckRunPage,
): Promise<number | null> {
  const { ref, writeChecks } = connection;
  const params = { ...repositoryParams(ref), name: CHECK_RUN_NAME, head_sha: head, ...fieldsOf(page) };
  try {
    const created = await ifGranted(connection, () => writeChecks.rest.checks.create(params));
    return created?.data.id ?? null;
  } catch (error) {
    // A force push dropped the commit.
    if (error instanceof GitHubError && error.status === 422) return null;
    throw error;
  }
}

/** Writes a check run anew, with its buttons. */
export async function updateCheckRun(
  connection: PullConnection,
  id: number,
  page: OutdatedCheckRunPage,
): Promise<void> {
  const { ref, writeChecks } = connection;
  const params = { ...repositoryParams(ref), check_run_id: id, ...fieldsOf(page) };
  await ifGranted(connection, () => writeChecks.rest.checks.update(params));
}

function fieldsOf(page: OutdatedCheckRunPage) {
  const { externalId, detailsUrl, conclusion, title, summary, text, actions } = page;
  return {
    ...(externalId === undefined ? {} : { external_id: externalId }),
    details_url: detailsUrl,
    status: 'completed' as const,
    conclusion,
    output: { title, summary, text },
    actions: [...actions],
  };
}

/** Adds a label to the pull request. Only an App that may write issues can create one by that. */
export async function addLabel(connection: PullConnection, name: string): Promise<boolean> {
  const { ref, write, caches } = connection;
  caches.pulls.delete(pullKey(ref));
  const params = { ...issueParams(ref), labels: [name] };
  const add = () => write.rest.issues.addLabels(params);
  const isRefusal = (error: unknown): boolean => means(error, 'not-allowed', 'gone', 'our-mistake');
  return (await unlessRefused(connection, cacheKey(ref, `label:${name}`), add, isRefusal)) !== null;
}

/** Takes a label off. */
export async function removeLabel({ ref, write, caches }: PullConnection, name: string): Promise<void> {
  caches.pulls.delete(pullKey(ref));
  try {
    await write.rest.issues.removeLabel({ ...issueParams(ref), name });
  } catch (error) {
    if (!means(error, 'gone', 'not-allowed')) throw error;
  }
}

function issueParams(ref: PullConnection['ref']) {
  const { pull_number: issue_number } = pullParams(ref);
  return { ...repositoryParams(ref), issue_number };
}
