import type { Actor } from './access.ts';
import { appendHistory, type HistoryEntry, type HistoryKind } from './history.ts';
import type { ApiError, Outcome, WebhookEvent } from './outcome.ts';
import type { Issue, PullRequest, Repository, World } from './state.ts';

/** What a write is about; what is left out is null in the entry. */
export type About = Partial<Omit<HistoryEntry, 'kind' | 'at' | 'actorId' | 'viaAppId'>>;

/** A fresh number for anything that has an id, and the world that has spent it. */
export function takeId(world: World): readonly [id: number, world: World] {
  return [world.nextId, { ...world, nextId: world.nextId + 1 }];
}

/** A global id in the style of GitHub's: a prefix for the kind, then something opaque. */
export function nodeId(prefix: string, id: number): string {
  return `${prefix}_kwDO${id.toString(36).toUpperCase().padStart(8, '0')}`;
}

/** The map with one entry set. */
export function withEntry<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key, value: Value): ReadonlyMap<Key, Value> {
  return new Map(map).set(key, value);
}

/** The map with one entry gone. */
export function withoutEntry<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): ReadonlyMap<Key, Value> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}

/** The world with this version of a repository. */
export function withRepository(world: World, repository: Repository): World {
  return { ...world, repositories: withEntry(world.repositories, repository.id, repository) };
}

/** The world with this version of a pull request. */
export function withPull(world: World, repositoryId: number, pull: PullRequest): World {
  const repository = world.repositories.get(repositoryId);
  if (repository === undefined) return world;
  return withRepository(world, { ...repository, pulls: withEntry(repository.pulls, pull.number, pull) });
}

/** The world with new comments (or other common fields) on an issue or a pull request. */
export function withConversation(world: World, repositoryId: number, number: number, fields: Partial<Issue>): World {
  const repository = world.repositories.get(repositoryId);
  const pull = repository?.pulls.get(number);
  if (pull !== undefined) return withPull(world, repositoryId, { ...pull, ...fields });
  const issue = repository?.issues.get(number);
  if (repository === undefined || issue === undefined) return world;
  return withRepository(world, {
    ...repository,
    issues: withEntry(repository.issues, number, { ...issue, ...fields }),
  });
}

/** The world that remembers a write. */
export function recorded(world: World, kind: HistoryKind, actor: Actor | null, now: number, about: About): World {
  const entry = {
    kind,
    at: now,
    actorId: actor?.accountId ?? null,
    viaAppId: actor?.viaAppId ?? null,
    repositoryId: null,
    number: null,
    id: null,
    ref: null,
    before: null,
    after: null,
    ...about,
  };
  return { ...world, history: appendHistory(world.history, entry) };
}

/** A write that happened. */
export function done<Value>(state: World, value: Value, events: readonly WebhookEvent[] = []): Outcome<Value> {
  return { ok: true, state, value, events };
}

/** A write that was refused. */
export function refused<Value>(state: World, error: ApiError): Outcome<Value> {
  return { ok: false, state, error, events: [] };
}
