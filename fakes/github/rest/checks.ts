import { createHash } from 'node:crypto';
import { isRecord } from '../../../src/lib/trust.ts';
import { needsPermission } from '../http/auth.ts';
import {
  type ApiResponse,
  errorResponse,
  listResponse,
  notFoundResponse,
  okResponse,
  operationResponse,
  type RequestTarget,
  wrappedListResponse,
} from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import type { UpdateCheckRunInput } from '../operations/inputs.ts';
import { simpleUserPayload } from '../payloads/accounts.ts';
import {
  annotationPayload,
  checkRunPayload,
  checkSuitePayload,
  combinedStatusPayload,
  statusPayload,
} from '../payloads/checks.ts';
import { repositoryPayload } from '../payloads/repositories.ts';
import { listCheckSuites, listLatestStatuses, listSuiteRuns } from '../state/checks.ts';
import type { FakeAnnotation, FakeCheckRun } from '../state/github-state.ts';
import { resolveCommit } from '../state/lookup.ts';
import {
  type ApiRoute,
  createRepositoryRoute,
  type RepositoryRouteContext,
  readNumberParam,
  readTextField,
  readTextParam,
} from './router.ts';

const READ_CHECKS = needsPermission('checks', 'read');
const WRITE_CHECKS = needsPermission('checks', 'write');
const READ_STATUSES = needsPermission('statuses', 'read');

export const CHECK_ROUTES: readonly ApiRoute[] = [
  createRepositoryRoute('POST /check-runs', WRITE_CHECKS, createRun),
  createRepositoryRoute('GET /check-runs/{check_run_id}', READ_CHECKS, onRun(getRun)),
  createRepositoryRoute('PATCH /check-runs/{check_run_id}', WRITE_CHECKS, onRun(updateRun)),
  createRepositoryRoute('GET /check-runs/{check_run_id}/annotations', READ_CHECKS, onRun(listAnnotations)),
  createRepositoryRoute('GET /check-suites/{check_suite_id}/check-runs', READ_CHECKS, listRunsOfSuite),
  createRepositoryRoute('GET /commits/{ref}/check-runs', READ_CHECKS, onCommit(listRunsOfCommit)),
  createRepositoryRoute('GET /commits/{ref}/check-suites', READ_CHECKS, onCommit(listSuitesOfCommit)),
  createRepositoryRoute('GET /commits/{ref}/status', READ_STATUSES, onCommit(getCombinedStatus)),
  createRepositoryRoute('GET /commits/{ref}/statuses', READ_STATUSES, onCommit(listStatuses)),
  createRepositoryRoute('GET /actions/jobs/{job_id}/logs', needsPermission('actions', 'read'), redirectToLog),
];

type RunHandler = (context: RepositoryRouteContext, run: FakeCheckRun) => ApiResponse;

function onRun(handle: RunHandler): (context: RepositoryRouteContext) => ApiResponse {
  return (context) => {
    const run = context.repository.checkRuns.get(readNumberParam(context, 'check_run_id'));
    return run === undefined ? notFoundResponse(context.state) : handle(context, run);
  };
}

function onCommit(
  handle: (context: RepositoryRouteContext, sha: string) => ApiResponse,
): (context: RepositoryRouteContext) => ApiResponse {
  return (context) => {
    const reference = readTextParam(context, 'ref');
    const sha = resolveCommit(context.state.github, context.repository, reference);
    if (sha === undefined) return errorResponse(context.state, 422, `No commit found for SHA: ${reference}`);
    return handle(context, sha);
  };
}

function createRun(context: RepositoryRouteContext): ApiResponse {
  const { state, operations, repository, actor, now } = context;
  const name = readTextField(context, 'name') ?? '';
  const headSha = readTextField(context, 'head_sha') ?? '';
  const input = { actor, repositoryId: repository.id, name, headSha, ...readRunFields(context) };
  return operationResponse(state, operations.createCheckRun(state.github, input, now), 201, (after, run) =>
    runPayload(context, after, run),
  );
}

function getRun(context: RepositoryRouteContext, run: FakeCheckRun): ApiResponse {
  return okResponse(context.state, runPayload(context, context.state, run));
}

function updateRun(context: RepositoryRouteContext, { id }: FakeCheckRun): ApiResponse {
  const { state, operations, repository, actor, now } = context;
  const name = readTextField(context, 'name');
  const named = name === undefined ? {} : { name };
  const input = { actor, repositoryId: repository.id, checkRunId: id, ...named, ...readRunFields(context) };
  return operationResponse(state, operations.updateCheckRun(state.github, input, now), 200, (after, run) =>
    runPayload(context, after, run),
  );
}

function runPayload({ repository }: RepositoryRouteContext, { github }: ServerState, run: FakeCheckRun): unknown {
  return checkRunPayload(github, github.repositories.get(repository.id) ?? repository, run);
}

type RunFields = Omit<UpdateCheckRunInput, 'checkRunId' | 'name' | 'repositoryId' | 'actor' | 'log'>;

/** The validator checks the types against GitHub's description. */
function readRunFields(context: RepositoryRouteContext): RunFields {
  const { status, conclusion, output, actions } = context.body;
  const [detailsUrl, externalId] = [readTextField(context, 'details_url'), readTextField(context, 'external_id')];
  const fields: Readonly<Record<string, unknown>> = {
    ...(detailsUrl === undefined ? {} : { detailsUrl }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(status === undefined ? {} : { status }),
    ...(conclusion === undefined ? {} : { conclusion }),
    ...(actions === undefined ? {} : { actions }),
    ...(isRecord(output) ? readOutput(output) : {}),
  };
  return fields;
}

function readOutput(output: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { annotations = [], images: _images, ...texts } = output;
  const list = Array.isArray(annotations) ? annotations : [];
  return { output: texts, annotations: list.map(readAnnotation) };
}

function readAnnotation(given: Readonly<Record<string, unknown>>): FakeAnnotation {
  const level = given['annotation_level'];
  return {
    path: String(given['path']),
    startLine: Number(given['start_line']),
    endLine: Number(given['end_line']),
    level: level === 'notice' || level === 'warning' ? level : 'failure',
    message: String(given['message']),
    title: typeof given['title'] === 'string' ? given['title'] : null,
  };
}

function listAnnotations({ state, repository }: RepositoryRouteContext, run: FakeCheckRun): ApiResponse {
  const { headSha, annotations } = run;
  return listResponse(
    state,
    annotations.map((annotation) => annotationPayload(state.github, repository, headSha, annotation)),
  );
}

function listRunsOfSuite(context: RepositoryRouteContext): ApiResponse {
  const suite = context.repository.checkSuites.get(readNumberParam(context, 'check_suite_id'));
  return suite === undefined ? notFoundResponse(context.state) : respondWithRuns(context, [suite.id]);
}

function listRunsOfCommit(context: RepositoryRouteContext, sha: string): ApiResponse {
  const suites = listCheckSuites(context.repository, sha);
  return respondWithRuns(
    context,
    suites.map(({ id }) => id),
  );
}

/** Newest first, with GitHub's filters. */
function respondWithRuns(context: RepositoryRouteContext, suiteIds: readonly number[]): ApiResponse {
  const { state, repository, query } = context;
  const filter = query['filter'] === 'all' ? 'all' : 'latest';
  const { check_name: name, status, app_id: appId } = query;
  const runs = suiteIds
    .flatMap((id) => listSuiteRuns(repository, id, filter))
    .filter((run) => name === undefined || run.name === name)
    .filter((run) => status === undefined || run.status === status)
    .filter((run) => appId === undefined || run.appId === Number(appId))
    .toSorted((a, b) => b.id - a.id);
  const payloads = runs.map((run) => checkRunPayload(state.github, repository, run));
  return wrappedListResponse(state, payloads, (page) => ({ total_count: runs.length, check_runs: page }));
}

function listSuitesOfCommit(context: RepositoryRouteContext, sha: string): ApiResponse {
  const { state, repository, query } = context;
  const { app_id: appId, check_name: name } = query;
  const suites = listCheckSuites(repository, sha)
    .filter((suite) => appId === undefined || suite.appId === Number(appId))
    .filter(({ id }) => name === undefined || listSuiteRuns(repository, id).some((run) => run.name === name));
  const payloads = suites.map((suite) => ({
    ...checkSuitePayload(state.github, repository, suite),
    repository: repositoryPayload(state.github, repository),
  }));
  return wrappedListResponse(state, payloads, (page) => ({ total_count: suites.length, check_suites: page }));
}

function getCombinedStatus({ state, repository }: RepositoryRouteContext, sha: string): ApiResponse {
  const latest = listLatestStatuses(repository, sha).map((one) => statusPayload(state.github, repository, one));
  return wrappedListResponse(state, latest, (page) => combinedStatusPayload(state.github, repository, sha, page));
}

function listStatuses({ state, repository }: RepositoryRouteContext, sha: string): ApiResponse {
  const own = repository.statuses.filter((status) => status.sha === sha).toReversed();
  return listResponse(
    state,
    own.map((status) => ({
      ...statusPayload(state.github, repository, status),
      creator: simpleUserPayload(state.github, status.creatorId),
    })),
  );
}

/** GitHub’s links to logs need no token and expire after a minute. */
const LINK_LIFETIME_MS = 60_000;

const LOG_PATH = /^\/joblogs\/(\d+)\/(\d+)\.txt$/;

/** Redirects to the log of a job of GitHub Actions, which has the id of its check run. */
function redirectToLog(context: RepositoryRouteContext): ApiResponse {
  const run = context.repository.checkRuns.get(readNumberParam(context, 'job_id'));
  if (run === undefined || run.log === null) return notFoundResponse(context.state);
  const path = `/joblogs/${context.repository.id}/${run.id}.txt`;
  const expires = context.now + LINK_LIFETIME_MS;
  const origin = new URL(context.state.github.host.apiUrl).origin;
  const location = `${origin}${path}?expires=${expires}&token=${signLink(path, expires)}`;
  return { status: 302, body: { kind: 'none' }, headers: { location }, state: context.state, events: [] };
}

function signLink(path: string, expires: number): string {
  return createHash('sha256').update(`log ${path} ${expires}`).digest('hex').slice(0, 40);
}

/**
 * The log behind a signed link; undefined for any other path. The storage answers a range with a first byte, and ignores
 * one that counts from the end.
 */
export function serveJobLog(
  method: string,
  target: RequestTarget,
  state: ServerState,
  { now, range }: { readonly now: number; readonly range: string | undefined },
): ApiResponse | undefined {
  const match = method === 'GET' ? LOG_PATH.exec(target.path) : null;
  if (match === null) return undefined;
  const expires = Number(target.query['expires']);
  const bytes = state.github.repositories.get(Number(match[1]))?.checkRuns.get(Number(match[2]))?.log ?? null;
  if (target.query['token'] !== signLink(target.path, expires) || expires < now || bytes === null)
    return notFoundResponse(state);
  const type = 'text/plain; charset=utf-8';
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1]);
  if (Number.isNaN(from) || from >= bytes.byteLength)
    return { status: 200, body: { kind: 'bytes', type, bytes }, state, events: [] };
  const headers = { 'content-range': `bytes ${from}-${bytes.byteLength - 1}/${bytes.byteLength}` };
  return { status: 206, headers, body: { kind: 'bytes', type, bytes: bytes.subarray(from) }, state, events: [] };
}
