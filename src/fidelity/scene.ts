import type { PullRef } from '../command/intent.ts';
import { type Files, treeOfFiles } from '../simulator/git/commit-files.ts';
import { putCommit } from '../simulator/git/commit-object.ts';
import { newWorld } from '../simulator/world/new-world.ts';
import { OPERATIONS } from '../simulator/world/operations.ts';
import type { Operation } from '../simulator/world/outcome.ts';
import { personSignature } from '../simulator/world/signatures.ts';
import type { App, World } from '../simulator/world/state.ts';

/** What the base and the head of a pull request hold. */
export type SceneFiles = { readonly base: Files; readonly head: Files };

/** A simulated GitHub with one repository, one pull request on it, the App installed and one person who may write. */
export type Scene = {
  readonly world: World;
  readonly app: App;
  readonly ref: PullRef;
  readonly repositoryId: number;
  readonly number: number;
  readonly branch: string;
  readonly anaId: number;
};

const BRANCH = 'topic';
const PERMISSIONS = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' } as const;
const EVENTS = ['issue_comment', 'pull_request', 'pull_request_review', 'pull_request_review_comment', 'push'];
const SITE = 'http://127.0.0.1';

/** Makes the world of one session. Everything is new, so that nothing is kept once the session is over. */
export function openScene(files: SceneFiles, now: number): Scene {
  let world = newWorld({ api: SITE, html: SITE });
  const apply = <Input, Value>(operation: Operation<Input, Value>, input: Input): Value => {
    const outcome = operation(world, input, now);
    if (!outcome.ok) throw new Error(outcome.error.message);
    world = outcome.state;
    return outcome.value;
  };
  const owner = apply(OPERATIONS.addAccount, { login: 'acme', type: 'Organization' });
  const ana = apply(OPERATIONS.addAccount, { login: 'ana' });
  const app = apply(OPERATIONS.addApp, {
    slug: 'countersign',
    ownerId: owner.id,
    permissions: PERMISSIONS,
    events: EVENTS,
  });
  const repository = apply(OPERATIONS.addRepository, { ownerId: owner.id, name: 'repository', files: files.base });
  const repositoryId = repository.id;
  const installation = apply(OPERATIONS.installApp, { appId: app.id, accountId: owner.id });
  apply(OPERATIONS.setPermission, { repositoryId, accountId: ana.id, permission: 'write' });
  const signature = personSignature(world, ana, now);
  const sha = putCommit(world.store, {
    tree: treeOfFiles(world.store, files.head),
    parents: [repository.refs.get('refs/heads/main') ?? ''],
    author: signature,
    committer: signature,
    signature: null,
    message: 'The parent commit\n',
  });
  const here = { actor: { accountId: ana.id, viaAppId: null }, repositoryId };
  apply(OPERATIONS.createRef, { ...here, ref: `refs/heads/${BRANCH}`, sha });
  const { number } = apply(OPERATIONS.openPull, { ...here, title: 'The parent commit', head: BRANCH });
  const ref = { installationId: installation.id, repositoryId, owner: owner.login, repo: repository.name, number };
  return { world, app, ref, repositoryId, number, branch: BRANCH, anaId: ana.id };
}
