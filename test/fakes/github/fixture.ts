import { createUserActor } from '../../../fakes/github/fake-github.ts';
import { exportBareRepository } from '../../../fakes/github/git/export.ts';
import { type GitFileMode, readBlobText, readGitCommit } from '../../../fakes/github/git/objects.ts';
import { findTreeEntry } from '../../../fakes/github/git/trees.ts';
import { addAccount, addApp, installApp } from '../../../fakes/github/operations/accounts.ts';
import { pushFiles } from '../../../fakes/github/operations/git-data.ts';
import { createPullRequest } from '../../../fakes/github/operations/pull-requests.ts';
import { addRepository, setPermission } from '../../../fakes/github/operations/repositories.ts';
import type {
  FakeActor,
  FakePullRequest,
  FakeRepository,
  GitHubState,
} from '../../../fakes/github/state/github-state.ts';
import type { ApiError, Operation, WebhookEvent } from '../../../fakes/github/state/operation.ts';
import { createGitHubState } from '../../../fakes/github/state/update.ts';
import { openApiValidator } from '../../support/openapi-validator.ts';

const START = Date.UTC(2026, 0, 5, 9, 0, 0);

/** Thirty lines. The pull request changes line 15 and adds a line after it. */
export const LINES = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);

export const BASE_TEXT = `${LINES.join('\n')}\n`;

export const HEAD_TEXT = `${LINES.with(14, 'changed 15').toSpliced(15, 0, 'added 16').join('\n')}\n`;

/**
 * Creates the state of a fake GitHub with one pull request. `events` are its webhooks, `problems` their differences from
 * GitHub’s OpenAPI description.
 */
export function createFixture(owner: 'User' | 'Organization' = 'User') {
  let state: GitHubState = createGitHubState({ apiUrl: 'http://127.0.0.1:1/api/v3', webUrl: 'http://127.0.0.1:1' });
  let now = START;
  const events: WebhookEvent[] = [];
  const problems: string[] = [];

  function attempt<Input, Value>(operation: Operation<Input, Value>, input: Input) {
    now += 1_500;
    const outcome = operation(state, input, now);
    state = outcome.state;
    for (const event of outcome.events) {
      events.push(event);
      problems.push(...openApiValidator.checkWebhook(event.name, event.payload));
    }
    return outcome;
  }
  function apply<Input, Value>(operation: Operation<Input, Value>, input: Input): Value {
    const outcome = attempt(operation, input);
    if (outcome.ok) return outcome.value;
    throw new Error(`${outcome.error.status} ${outcome.error.message} ${JSON.stringify(outcome.error.errors)}`);
  }
  function refusal<Input, Value>(operation: Operation<Input, Value>, input: Input): ApiError {
    const before = state;
    const outcome = attempt(operation, input);
    if (outcome.ok) throw new Error('The operation was not refused.');
    if (state !== before || outcome.events.length > 0) throw new Error('A refusal changed the state.');
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
  const bytes = (text: string, mode: GitFileMode = '100644') => ({ mode, bytes: Buffer.from(text) });
  const files = new Map([
    ['src/a.txt', bytes(BASE_TEXT)],
    ['src/gone.txt', bytes('gone\n')],
    ['run.sh', bytes('#!/bin/sh\n', '100755')],
  ]);
  const { id: repositoryId } = apply(addRepository, { ownerId: people.ana, name: 'shop', files });
  apply(installApp, { appId: app.id, accountId: people.ana });
  apply(setPermission, { repositoryId, accountId: people.ben, permission: 'write' });
  const actors: Readonly<Record<'ana' | 'ben' | 'eve' | 'bot', FakeActor>> = {
    ana: createUserActor(people.ana),
    ben: createUserActor(people.ben),
    eve: createUserActor(people.eve),
    bot: { accountId: app.botId, viaAppId: app.id },
  };
  const changes = new Map<string, string | null>([
    ['src/a.txt', HEAD_TEXT],
    ['src/gone.txt', null],
    ['src/new.txt', 'one\ntwo'],
  ]);
  apply(pushFiles, { actor: actors.ben, repositoryId, branch: 'topic', files: changes });
  const { number } = apply(createPullRequest, { actor: actors.ben, repositoryId, title: 'Topic', head: 'topic' });

  const repository = (): FakeRepository => requireDefined(state.repositories.get(repositoryId));
  const pull = (): FakePullRequest => requireDefined(repository().pulls.get(number));
  return {
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
    state: () => state,
    eventNames: () => events.map(({ name, action }) => (action === null ? name : `${name}.${action}`)),
    clearEvents: () => events.splice(0),
    push: (files: Readonly<Record<string, string | null>>, actor: FakeActor = actors.ben) =>
      apply(pushFiles, { actor, repositoryId, branch: 'topic', files: new Map(Object.entries(files)) }),
    file: (path: string) => readBlobText(state.store, findEntry(state, pull(), path)?.sha),
    mode: (path: string) => findEntry(state, pull(), path)?.mode,
    export: (directory: string) => exportBareRepository(state.store, repository(), directory),
  };
}

/** Returns a value that must be defined. */
export function requireDefined<Value>(value: Value | undefined | null): Value {
  if (value === undefined || value === null) throw new Error('The value is missing.');
  return value;
}

function findEntry(state: GitHubState, pull: FakePullRequest, path: string) {
  return findTreeEntry(state.store, readGitCommit(state.store, pull.head.sha)?.tree ?? '', path);
}
