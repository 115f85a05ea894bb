import { createObjectStore } from '../git/objects.ts';
import { type AuditAction, type AuditEntry, appendAuditEntry, EMPTY_AUDIT_LOG } from './audit-log.ts';
import type {
  FakeAccount,
  FakeActor,
  FakeIssue,
  FakePullRequest,
  FakeRepository,
  GitHubHost,
  GitHubState,
} from './github-state.ts';
import type { ApiError, OperationResult, WebhookEvent } from './operation.ts';

/** The subject of an audit entry; missing fields are null. */
type AuditDetails = Partial<Omit<AuditEntry, 'action' | 'at' | 'actorId' | 'viaAppId'>>;

/** Returns an unused id, and the state in which it is used. */
export function allocateId(github: GitHubState): readonly [id: number, github: GitHubState] {
  return [github.nextId, { ...github, nextId: github.nextId + 1 }];
}

/** Creates a node id that looks like GitHub’s: a prefix for the type, then an opaque part. */
export function createNodeId(prefix: string, id: number): string {
  return `${prefix}_kwDO${id.toString(36).toUpperCase().padStart(8, '0')}`;
}

export function mapWithEntry<Key, Value>(
  map: ReadonlyMap<Key, Value>,
  key: Key,
  value: Value,
): ReadonlyMap<Key, Value> {
  return new Map(map).set(key, value);
}

export function mapWithoutEntry<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): ReadonlyMap<Key, Value> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}

export function putRepository(github: GitHubState, repository: FakeRepository): GitHubState {
  return { ...github, repositories: mapWithEntry(github.repositories, repository.id, repository) };
}

export function putPull(github: GitHubState, repositoryId: number, pull: FakePullRequest): GitHubState {
  const repository = github.repositories.get(repositoryId);
  if (repository === undefined) return github;
  return putRepository(github, { ...repository, pulls: mapWithEntry(repository.pulls, pull.number, pull) });
}

/** Updates common fields of an issue or a pull request. */
export function updateConversation(
  github: GitHubState,
  repositoryId: number,
  number: number,
  fields: Partial<FakeIssue>,
): GitHubState {
  const repository = github.repositories.get(repositoryId);
  const pull = repository?.pulls.get(number);
  if (pull !== undefined) return putPull(github, repositoryId, { ...pull, ...fields });
  const issue = repository?.issues.get(number);
  if (repository === undefined || issue === undefined) return github;
  return putRepository(github, {
    ...repository,
    issues: mapWithEntry(repository.issues, number, { ...issue, ...fields }),
  });
}

export function withAuditEntry(
  github: GitHubState,
  action: AuditAction,
  actor: FakeActor | null,
  now: number,
  details: AuditDetails,
): GitHubState {
  const entry = {
    action,
    at: now,
    actorId: actor?.accountId ?? null,
    viaAppId: actor?.viaAppId ?? null,
    repositoryId: null,
    number: null,
    id: null,
    ref: null,
    before: null,
    after: null,
    ...details,
  };
  return { ...github, auditLog: appendAuditEntry(github.auditLog, entry) };
}

export function succeedWith<Value>(
  state: GitHubState,
  value: Value,
  events: readonly WebhookEvent[] = [],
): OperationResult<Value> {
  return { ok: true, state, value, events };
}

export function refuseWith<Value>(state: GitHubState, error: ApiError): OperationResult<Value> {
  return { ok: false, state, error, events: [] };
}

/** GitHub’s account for commits that are created in the browser or through the API. */
export const WEB_FLOW_ACCOUNT: FakeAccount = {
  id: 19_864_447,
  nodeId: createNodeId('U', 19_864_447),
  login: 'web-flow',
  type: 'User',
  createdAt: '2016-06-10T00:00:00Z',
};

/** Creates an empty GitHub. Ids start at 1,001, so that they differ from pull request numbers. */
export function createGitHubState(host: GitHubHost): GitHubState {
  return {
    host,
    store: createObjectStore(),
    nextId: 1_001,
    accounts: new Map([[WEB_FLOW_ACCOUNT.id, WEB_FLOW_ACCOUNT]]),
    apps: new Map(),
    installations: new Map(),
    repositories: new Map(),
    teams: new Map(),
    auditLog: EMPTY_AUDIT_LOG,
  };
}

/** Replaces the addresses, because the server gets its port after the state is created. */
export function withHost(github: GitHubState, host: GitHubHost): GitHubState {
  return { ...github, host };
}

/** Formats a time in ms as GitHub does: UTC, whole seconds. */
export function formatTimestamp(now: number): string {
  if (now !== latest.now) latest = { now, formatted: `${new Date(now).toISOString().slice(0, 19)}Z` };
  return latest.formatted;
}

/** One change writes its time in several places. */
let latest = { now: 0, formatted: '1970-01-01T00:00:00Z' };

export function toUnixSeconds(now: number): number {
  return Math.floor(now / 1000);
}
