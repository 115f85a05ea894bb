import { createUserActor, type FakeGitHub, startFakeGitHub } from '../../../../fakes/github/fake-github.ts';
import { OPERATIONS } from '../../../../fakes/github/operations/operations.ts';
import { createGitHub } from '../../../../src/adapters/github/create-github.ts';
import { apiBaseUrl } from '../../../../src/adapters/github/requests/client.ts';
import type { GitHub, GitHubApp } from '../../../../src/core/step/ports.ts';
import { openApiValidator } from '../../../support/openapi-validator.ts';

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);

const BEFORE = `${LINES.join('\n')}\n`;

export const AFTER = BEFORE.replace('line 20\n', 'line twenty\n');

export const BRANCH = 'work/totals';

export const BINARY = Buffer.from([0xef, 0xbb, 0xbf, 0, 0xff, 0x0d, 0x0a]);

type Mode = '100644' | '100755';

const file = (text: string | Buffer, mode: Mode = '100644') => ({ mode, bytes: Buffer.from(text) });

/** A pull request with one changed file by the repository's owner, and the App's adapter for it. */
export type Stage = {
  /** The time (ms) by which the clock of the App is ahead. */
  readonly clock: { passed: number };
  readonly simulator: FakeGitHub;
  readonly githubs: GitHubApp;
  readonly github: GitHub;
  readonly ana: number;
  readonly repositoryId: number;
  readonly number: number;
  readonly head: string;
  readonly mainHead: string;
};

export async function openStage(): Promise<Stage> {
  const fakeGitHub = await startFakeGitHub({ openApiValidator });
  const clock = { passed: 0 };
  const { apply } = fakeGitHub;
  const ana = apply(OPERATIONS.addAccount, { login: 'ana' }).id;
  const files = new Map([
    ['src/a.txt', file(BEFORE)],
    ['run.sh', file('#!/bin/sh\n', '100755')],
    ['logo.bin', file(BINARY)],
  ]);
  const repository = apply(OPERATIONS.addRepository, { ownerId: ana, name: 'shop', files });
  const on = { actor: createUserActor(ana), repositoryId: repository.id };
  const installation = apply(OPERATIONS.installApp, { appId: fakeGitHub.app.id, accountId: ana });
  const mainHead = repository.refs.get('refs/heads/main') ?? '';
  apply(OPERATIONS.createGitRef, { ...on, ref: `refs/heads/${BRANCH}`, sha: mainHead });
  const head = apply(OPERATIONS.pushFiles, { ...on, branch: BRANCH, files: new Map([['src/a.txt', AFTER]]) });
  const { number } = apply(OPERATIONS.createPullRequest, { ...on, title: 'Totals', head: BRANCH });
  const githubs = createGitHub({
    appId: fakeGitHub.app.id,
    privateKey: fakeGitHub.app.privateKeyPem,
    baseUrl: apiBaseUrl(new URL(fakeGitHub.url).host, 'http'),
    version: '0.0.0',
    timeoutMs: 20_000,
    now: () => Date.now() + clock.passed,
  });
  const ref = { installationId: installation.id, repositoryId: repository.id, owner: 'ana', repo: 'shop', number };
  return {
    clock,
    simulator: fakeGitHub,
    githubs,
    github: githubs.forPull(ref),
    ana,
    repositoryId: repository.id,
    number,
    head,
    mainHead,
  };
}
