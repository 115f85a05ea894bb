import { z } from 'zod';
import {
  CHECK_KEYS,
  type Check,
  type CheckDetails,
  type CheckState,
  type Checks,
  type PullChecks,
} from '../../core/state/checks.ts';
import { GitHubError, means } from '../../core/step/ports.ts';
import {
  askGraphql,
  type PullConnection,
  repositoryParams,
  visibleNodes,
  withSmallerPages,
} from './requests/connection.ts';
import { hasRemedy } from './requests/errors.ts';

/** Suites of a commit that one request lists. */
const MAX_SUITES = 50;

/** Check runs of a suite. A suite tells its own state, so those that a page leaves out hide no failure. */
const RUNS_SIZES = [100, 20] as const;

/** GitHub Actions, whose check runs are jobs with logs. */
const ACTIONS_SLUG = 'github-actions';

const CHECKS_FRAGMENT = `fragment checks on Commit {
  oid
  checkSuites(first: ${MAX_SUITES}) {
    nodes {
      id status conclusion
      app { slug name }
      workflowRun { workflow { name } }
      checkRuns(first: $runs, filterBy: { checkType: LATEST }) {
        nodes { id name status conclusion detailsUrl }
      }
    }
  }
  status { contexts { context state targetUrl } }
}`;

const CHECKS_QUERY = `query pullChecks($owner: String!, $repo: String!, $number: Int!, $runs: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      state
      headRefOid
      own: commits(last: 100) { nodes { commit { oid } } }
      head: commits(last: 1) { nodes { commit { ...checks } } }
      baseRef { target { ... on Commit { ...checks } } }
    }
  }
}
${CHECKS_FRAGMENT}`;

const DETAILS_QUERY = `query checkDetails($id: ID!) {
  node(id: $id) {
    ... on CheckRun {
      title
      summary
      annotations(first: 50) { nodes { path message location { start { line } } } }
    }
  }
}`;

/**
 * The checks of the head and of the base branch, without those of this App, in one request. Null where the installation
 * does not let the App see them, or where GitHub finds them too many to answer.
 */
export async function fetchChecks({ ref, readChecks, slug }: PullConnection): Promise<PullChecks | null> {
  const ownSlug = await slug();
  try {
    const variables = { ...repositoryParams(ref), number: ref.number };
    const { repository } = await withSmallerPages(RUNS_SIZES, (runs) =>
      askGraphql(readChecks, CHECKS_QUERY, { ...variables, runs }, ChecksAnswer),
    );
    const { state, headRefOid: headSha, own, head, baseRef } = repository.pullRequest;
    const newest = head.nodes.at(-1)?.commit ?? null;
    return {
      state,
      headSha,
      own: own.nodes.map(({ commit }) => commit.oid),
      // A push can come while GitHub answers.
      head: newest?.oid === headSha ? toChecks(newest, ownSlug) : NO_CHECKS,
      base: baseRef?.target == null ? NO_CHECKS : toChecks(baseRef.target, ownSlug),
    };
  } catch (error) {
    if (hasRemedy(error, 'smaller-pages') || means(error, 'not-allowed')) return null;
    throw error;
  }
}

const NO_CHECKS: Checks = { listed: [], running: [] };

/** What a check says. An annotation or log that GitHub no longer has is left out. */
export async function fetchCheckDetails(connection: PullConnection, check: Check): Promise<CheckDetails> {
  const { nodeId, jobId } = check;
  const { readChecks } = connection;
  const node =
    nodeId === null ? null : (await askGraphql(readChecks, DETAILS_QUERY, { id: nodeId }, DetailsAnswer)).node;
  const logEnd = jobId === null ? null : await fetchLogEnd(connection, jobId);
  const annotations = (node?.annotations.nodes ?? []).map(({ path, message, location }) => {
    return { path, line: location.start.line, message };
  });
  return { title: node?.title ?? null, summary: node?.summary ?? null, annotations, logEnd };
}

/** GitHub redirects to a storage of its own, which gets no credentials. */
async function fetchLogEnd({ ref, readChecks, download }: PullConnection, jobId: string): Promise<Uint8Array | null> {
  try {
    const { headers } = await readChecks.request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
      ...repositoryParams(ref),
      job_id: Number(jobId),
      request: { redirect: 'manual', parseSuccessResponseBody: false },
    });
    const { location } = headers;
    return location === undefined ? null : await download(location);
  } catch (error) {
    // A job that never began has none, and GitHub deletes logs: what is missing now is not worth a wait.
    if (error instanceof GitHubError && error.status !== null && NO_LOG.includes(error.status)) return null;
    throw error;
  }
}

const NO_LOG: readonly number[] = [403, 404, 410];

/** Bytes at the end of a log that are read: more than the model gets, because times and colours are removed. */
const LOG_END_BYTES = 96 * 1024;

const MAX_STREAMED_BYTES = 64 * 1024 * 1024;

const DOWNLOAD_TIMEOUT_MS = 20_000;

type Fetch = (address: string, options: RequestInit) => Promise<Response>;

/** Reads the end of a file: by a range from the end, or from a first byte where the storage knows only those. */
export function createDownload(fetch: Fetch, ownOrigin: string): (address: string) => Promise<Uint8Array | null> {
  return async (address) => {
    const url = URL.canParse(address, ownOrigin) ? new URL(address, ownOrigin) : null;
    if (url === null || (url.protocol !== 'https:' && url.origin !== ownOrigin)) return null;
    const ask = (range: string) => {
      const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
      return fetch(url.href, { headers: { range: `bytes=${range}` }, redirect: 'error', signal });
    };
    try {
      const first = await ask(`-${LOG_END_BYTES}`);
      const size = Number(first.headers.get('content-length') ?? 0);
      if (first.status !== 200 || size <= LOG_END_BYTES) return await readEnd(first);
      await first.body?.cancel();
      return await readEnd(await ask(`${size - LOG_END_BYTES}-`));
    } catch (error) {
      throw new GitHubError('the log of a job could not be downloaded', null, null, { cause: error });
    }
  };
}

/** The last bytes of a response, which is never held as a whole; null for a failure or an endless one. */
async function readEnd(response: Response): Promise<Uint8Array | null> {
  if (!response.ok || response.body === null) return null;
  let [end, received]: [Uint8Array, number] = [new Uint8Array(), 0];
  for await (const chunk of response.body) {
    received += chunk.byteLength;
    if (received > MAX_STREAMED_BYTES) return null;
    end = Buffer.concat([end, chunk]).subarray(-LOG_END_BYTES);
  }
  return end;
}

type Suite = z.infer<typeof Suite>;

function toChecks({ checkSuites, status }: z.infer<typeof CommitChecks>, ownSlug: string): Checks {
  const suites = (checkSuites?.nodes ?? []).filter(({ app }) => app?.slug !== ownSlug).map(suiteChecks);
  const contexts = (status?.contexts ?? []).map(toStatusCheck);
  const runningContexts = contexts.filter(({ state }) => state === 'running');
  return {
    listed: [...suites.flatMap(({ listed }) => listed), ...contexts],
    running: [
      ...suites.flatMap(({ running }) => running),
      ...runningContexts.map(({ name }) => CHECK_KEYS.status(name)),
    ],
  };
}

/** A suite without check runs counts only if it ended in a way that needs somebody: GitHub leaves others queued. */
function suiteChecks(suite: Suite): Checks {
  const { status, conclusion, checkRuns } = suite;
  const runs = checkRuns?.nodes.map((run) => toRunCheck(suite, run)) ?? [];
  const own = stateOf(status, conclusion);
  // A job that waits for an approval keeps its suite open for days.
  const isRunning = own === 'running' && runs.length > 0 && !runs.some(({ state }) => state === 'blocked');
  const isTold = isRunning || own === 'failed' || (own === 'blocked' && runs.length === 0);
  const isNamed = runs.some(({ state }) => state === own);
  const listed = isTold && !isNamed ? [...runs, toSuiteCheck(suite)] : runs;
  return { listed, running: isRunning ? [CHECK_KEYS.suite(suite.id)] : [] };
}

function toRunCheck({ app }: Suite, run: z.infer<typeof Run>): Check {
  const { id: nodeId, name, status, conclusion, detailsUrl: url } = run;
  const jobId = app?.slug === ACTIONS_SLUG ? (/\/job\/(\d+)$/.exec(url ?? '')?.[1] ?? null) : null;
  const word = (conclusion ?? status).toLowerCase();
  return { name, state: stateOf(status, conclusion), word, url, nodeId, jobId };
}

/** The jobs of a workflow that have not begun, or a workflow without any. */
function toSuiteCheck({ app, workflowRun, status, conclusion }: Suite): Check {
  const name = workflowRun?.workflow.name ?? app?.name ?? 'check suite';
  const word = (conclusion ?? status).toLowerCase();
  return { name, state: stateOf(status, conclusion), word, url: null, nodeId: null, jobId: null };
}

const FAILURES: readonly (string | null)[] = ['FAILURE', 'TIMED_OUT', 'STARTUP_FAILURE'];

function stateOf(status: string, conclusion: string | null): CheckState {
  if (status === 'WAITING' || conclusion === 'ACTION_REQUIRED') return 'blocked';
  if (status !== 'COMPLETED') return 'running';
  return FAILURES.includes(conclusion) ? 'failed' : 'passed';
}

const STATUS_STATES: Readonly<Record<string, CheckState>> = { SUCCESS: 'passed', FAILURE: 'failed', ERROR: 'failed' };

function toStatusCheck({ context: name, state, targetUrl: url }: z.infer<typeof StatusContext>): Check {
  const word = state.toLowerCase();
  return { name, state: STATUS_STATES[state] ?? 'running', word, url, nodeId: null, jobId: null };
}

const Run = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
  detailsUrl: z.string().nullable(),
});

const Suite = z.object({
  id: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
  app: z.object({ slug: z.string(), name: z.string() }).nullable(),
  workflowRun: z.object({ workflow: z.object({ name: z.string() }) }).nullable(),
  checkRuns: z.object({ nodes: visibleNodes(Run) }).nullable(),
});

const StatusContext = z.object({ context: z.string(), state: z.string(), targetUrl: z.string().nullable() });

const CommitChecks = z.object({
  oid: z.string(),
  checkSuites: z.object({ nodes: visibleNodes(Suite) }).nullable(),
  status: z.object({ contexts: z.array(StatusContext) }).nullable(),
});

const STATES = { OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const;

const ChecksAnswer = z.object({
  repository: z.object({
    pullRequest: z.object({
      state: z.enum(['OPEN', 'CLOSED', 'MERGED']).transform((state) => STATES[state]),
      headRefOid: z.string(),
      own: z.object({ nodes: visibleNodes(z.object({ commit: z.object({ oid: z.string() }) })) }),
      head: z.object({ nodes: visibleNodes(z.object({ commit: CommitChecks })) }),
      baseRef: z.object({ target: CommitChecks.nullable() }).nullable(),
    }),
  }),
});

const Annotation = z.object({
  path: z.string(),
  message: z.string(),
  location: z.object({ start: z.object({ line: z.number() }) }),
});

const DetailsAnswer = z.object({
  node: z
    .object({
      title: z.string().nullable().default(null),
      summary: z.string().nullable().default(null),
      annotations: z.object({ nodes: visibleNodes(Annotation) }).default({ nodes: [] }),
    })
    .nullable(),
});
