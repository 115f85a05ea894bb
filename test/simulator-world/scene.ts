import { blobText } from '../../src/simulator/git/blob.ts';
import { readCommit } from '../../src/simulator/git/commit-object.ts';
import { exportRepository } from '../../src/simulator/git/export.ts';
import type { FileMode } from '../../src/simulator/git/file-mode.ts';
import { entryAt } from '../../src/simulator/git/trees.ts';
import type { Actor } from '../../src/simulator/world/access.ts';
import { addAccount, addApp, installApp } from '../../src/simulator/world/accounts.ts';
import { newWorld } from '../../src/simulator/world/new-world.ts';
import type { ApiError, Operation, WebhookEvent } from '../../src/simulator/world/outcome.ts';
import { openPull } from '../../src/simulator/world/pulls.ts';
import { pushFiles } from '../../src/simulator/world/push-files.ts';
import { addRepository, setPermission } from '../../src/simulator/world/repositories.ts';
import type { PullRequest, Repository, World } from '../../src/simulator/world/state.ts';
import { referee } from '../referee.ts';

export const START = Date.UTC(2026, 0, 5, 9, 0, 0);

/** Thirty lines, of which the pull request changes the fifteenth and adds one after it. */
export const LINES = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
export const BASE_TEXT = `${LINES.join('\n')}\n`;
export const HEAD_TEXT = `${LINES.with(14, 'changed 15').toSpliced(15, 0, 'added 16').join('\n')}\n`;

/** A world that remembers its newest state and every event, and judges each event by GitHub's schemas. */
export function scene(owner: 'User' | 'Organization' = 'User') {
  let world: World = newWorld({ api: 'http://127.0.0.1:1/api/v3', html: 'http://127.0.0.1:1' });
  let now = START;
  const events: WebhookEvent[] = [];
  const problems: string[] = [];

  function attempt<Input, Value>(operation: Operation<Input, Value>, input: Input) {
    now += 1_500;
    const outcome = operation(world, input, now);
    world = outcome.state;
    for (const event of outcome.events) {
      events.push(event);
      problems.push(...referee.webhook(event.name, event.payload));
    }
    return outcome;
  }
  function apply<Input, Value>(operation: Operation<Input, Value>, input: Input): Value {
    const outcome = attempt(operation, input);
    if (outcome.ok) return outcome.value;
    throw new Error(`${outcome.error.status} ${outcome.error.message} ${JSON.stringify(outcome.error.errors)}`);
  }
  function refusal<Input, Value>(operation: Operation<Input, Value>, input: Input): ApiError {
    const before = world;
    const outcome = attempt(operation, input);
    if (outcome.ok) throw new Error('expected a refusal');
    if (world !== before || outcome.events.length > 0) throw new Error('a refusal changed the world');
    return outcome.error;
  }

  const ana = apply(addAccount, { login: 'ana', type: owner });
  const people = {
    ana: ana.id,
    ben: apply(addAccount, { login: 'ben' }).id,
    eve: apply(addAccount, { login: 'eve' }).id,
  };
  const permissions = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' } as const;
  const app = apply(addApp, { slug: 'countersign', ownerId: people.ana, permissions, events: ['push'] });
  const bytes = (text: string, mode: FileMode = '100644') => ({ mode, bytes: Buffer.from(text) });
  const files = new Map([
    ['src/a.txt', bytes(BASE_TEXT)],
    ['src/gone.txt', bytes('gone\n')],
    ['run.sh', bytes('#!/bin/sh\n', '100755')],
  ]);
  const { id: repositoryId } = apply(addRepository, { ownerId: people.ana, name: 'shop', files });
  apply(installApp, { appId: app.id, accountId: people.ana });
  apply(setPermission, { repositoryId, accountId: people.ben, permission: 'write' });
  const actors: Readonly<Record<'ana' | 'ben' | 'eve' | 'bot', Actor>> = {
    ana: person(people.ana),
    ben: person(people.ben),
    eve: person(people.eve),
    bot: { accountId: app.botId, viaAppId: app.id },
  };
  const changes = new Map<string, string | null>([
    ['src/a.txt', HEAD_TEXT],
    ['src/gone.txt', null],
    ['src/new.txt', 'one\ntwo'],
  ]);
  apply(pushFiles, { actor: actors.ben, repositoryId, branch: 'topic', files: changes });
  const { number } = apply(openPull, { actor: actors.ben, repositoryId, title: 'Topic', head: 'topic' });

  const repository = (): Repository => found(world.repositories.get(repositoryId));
  const pull = (): PullRequest => found(repository().pulls.get(number));
  return {
    attempt,
    apply,
    refusal,
    events,
    problems,
    app,
    actors,
    repositoryId,
    number,
    repository,
    pull,
    world: () => world,
    now: () => now,
    eventNames: () => events.map(({ name, action }) => (action === null ? name : `${name}.${action}`)),
    forget: () => events.splice(0),
    push: (files: Readonly<Record<string, string | null>>, actor: Actor = actors.ben) =>
      apply(pushFiles, { actor, repositoryId, branch: 'topic', files: new Map(Object.entries(files)) }),
    file: (path: string) => blobText(world.store, entryOf(world, pull(), path)?.sha),
    mode: (path: string) => entryOf(world, pull(), path)?.mode,
    export: (directory: string) => exportRepository(world.store, repository(), directory),
  };
}

export function person(accountId: number): Actor {
  return { accountId, viaAppId: null };
}

/** A value that the test relies on to be there. */
export function found<Value>(value: Value | undefined | null): Value {
  if (value === undefined || value === null) throw new Error('expected to be there');
  return value;
}

function entryOf(world: World, pull: PullRequest, path: string) {
  return entryAt(world.store, readCommit(world.store, pull.head.sha)?.tree ?? '', path);
}
