import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type {
  CollaboratorPermission,
  FakeAccount,
  FakePullRequest,
  FakeRepository,
} from '../../../fakes/github/state/github-state.ts';
import type { ChatRequest, ScriptedCall, ScriptedTurn } from '../../../fakes/model/script.ts';
import { createPerson } from '../../../fakes/people/person.ts';
import { type PullState, pullRequestKey } from '../../../src/core/state/pull-state.ts';
import { type Bot, watchBot } from './bot.ts';
import { DEFAULT_FILES, type Files, openPull, plainFiles, type Topic } from './pull-request.ts';
import { type PullView, watchPull } from './pull-view.ts';
import { type Speaker, speaker } from './speaker.ts';
import type { Stage } from './stage.ts';

export type StoryOptions = Topic & {
  /** Files on the base branch. */
  readonly files?: Files;
  /** Paths of executable files. */
  readonly executable?: readonly string[];
  /** Links on the base branch, each with its target. */
  readonly links?: Readonly<Record<string, string>>;
  readonly owner?: string;
};

/** One pull request with its people, the App's comments, and the model. */
export type Story = {
  readonly pr: PullView;
  /** Has write access; requests the task in most stories. */
  readonly ana: Speaker;
  /** Has write access. */
  readonly ben: Speaker;
  /** The pull request's author, with read access. */
  readonly carl: Speaker;
  /** A person without a role in the repository. */
  readonly stranger: Speaker;
  readonly bot: Bot;
  /** The stored data of this pull request. */
  readonly stored: () => Promise<PullState>;
  readonly model: ModelScript;
  readonly person: (login: string, permission: CollaboratorPermission, roleName?: string) => Promise<Speaker>;
  /** Changes a person's permission. */
  readonly grants: (who: Speaker, permission: CollaboratorPermission) => void;
  /** Writes the settings file on the default branch; null deletes it. */
  readonly configures: (text: string | Uint8Array | null) => Promise<void>;
  /** Writes `.github/CODEOWNERS` on the default branch. */
  readonly names: (owners: string) => Promise<void>;
  /** Lets the App see the members of the owner's teams. */
  readonly grantsMembers: () => void;
  /** A second pull request onto this base, with the same people, from the same branch or another one with a new file. */
  readonly alsoTo: (base: string, head?: string) => Promise<Story>;
};

/** The model's responses, in order; after the last one it says that all is done. */
type ModelScript = {
  readonly proposes: (...calls: readonly ScriptedCall[]) => void;
  readonly says: (turn: ScriptedTurn) => void;
  /** Requests for this pull request's runs, oldest first. */
  readonly requests: () => readonly ChatRequest[];
  /** The messages of the last request; none before the first one. */
  readonly lastMessages: () => ChatRequest['messages'];
  /** The tool messages at the end of the last request. */
  readonly toolMessages: () => readonly string[];
  /** The tool messages of all responses so far, oldest first. */
  readonly allToolMessages: () => readonly string[];
};

let stories = 0;

export async function tellStory(stage: Stage, options: StoryOptions): Promise<Story> {
  stories += 1;
  const { github } = stage;
  const name = `shop-${stories}`;
  const join = (login: string): FakeAccount => github.apply(OPERATIONS.addAccount, { login: `${login}-${stories}` });
  const owner = github.apply(OPERATIONS.addAccount, {
    login: options.owner ?? `acme-${stories}`,
    type: 'Organization',
  });
  const files = options.files ?? DEFAULT_FILES;
  const repository = github.apply(OPERATIONS.addRepository, {
    ownerId: owner.id,
    name,
    files: plainFiles(files, options.executable, options.links),
  });
  github.apply(OPERATIONS.installApp, { appId: github.app.id, accountId: owner.id });
  const [ana, ben, carl, stranger] = [join('ana'), join('ben'), join('carl'), join('stranger')];
  const allow = (account: FakeAccount, permission: CollaboratorPermission, roleName?: string): void => {
    const grant = { repositoryId: repository.id, accountId: account.id, permission };
    github.apply(OPERATIONS.setPermission, roleName === undefined ? grant : { ...grant, roleName });
  };
  allow(ana, 'write');
  allow(ben, 'write');
  allow(carl, 'write');
  const pull = openPull(stage, repository, carl, files, options);
  allow(carl, 'read');
  await stage.settle();
  return storyOf(stage, { repository, owner, ana, ben, carl, stranger, join, allow }, pull);
}

/** A repository with its people, without a pull request. */
type Scene = {
  readonly repository: FakeRepository;
  readonly owner: FakeAccount;
  readonly ana: FakeAccount;
  readonly ben: FakeAccount;
  readonly carl: FakeAccount;
  readonly stranger: FakeAccount;
  readonly join: (login: string) => FakeAccount;
  readonly allow: (account: FakeAccount, permission: CollaboratorPermission, roleName?: string) => void;
};

function storyOf(stage: Stage, scene: Scene, pull: FakePullRequest): Story {
  const { github } = stage;
  const { repository, owner, ana, ben, carl, stranger, join, allow } = scene;
  const as = (account: FakeAccount): Speaker => speakerOf(stage, repository, pull, account);
  const pr = watchPull(stage, repository.id, pull.number);
  const writeFile = async (path: string, text: string | Uint8Array | null): Promise<void> => {
    const there = { repositoryId: repository.id, branch: repository.defaultBranch, files: new Map([[path, text]]) };
    github.apply(OPERATIONS.pushFiles, { actor: { accountId: owner.id, viaAppId: null }, ...there });
    await stage.settle();
  };
  return {
    pr,
    ana: as(ana),
    ben: as(ben),
    carl: as(carl),
    stranger: as(stranger),
    bot: watchBot(stage, pr),
    stored: () => stage.store().load(keyOf(stage, pr), { ids: [], commentId: null }),
    model: modelScript(stage, pr),
    person: async (login, permission, roleName) => {
      const account = join(login);
      allow(account, permission, roleName);
      return as(account);
    },
    grants: (who, permission) => {
      const grant = { repositoryId: repository.id, accountId: who.id, permission };
      github.apply(OPERATIONS.setPermission, grant);
    },
    configures: (text) => writeFile('.github/countersign.yml', text),
    names: (owners) => writeFile('.github/CODEOWNERS', owners),
    grantsMembers: () => {
      const installation = [...github.state().installations.values()].find(({ accountId }) => accountId === owner.id);
      if (installation === undefined) throw new Error('The App is not installed.');
      const permissions = { ...installation.permissions, members: 'read' } as const;
      github.apply(OPERATIONS.acceptPermissions, { installationId: installation.id, permissions });
    },
    alsoTo: async (base, head = 'topic') => {
      const actor = { accountId: ben.id, viaAppId: null };
      const sha = github.state().repositories.get(repository.id)?.refs.get(`refs/heads/${repository.defaultBranch}`);
      const there = { actor, repositoryId: repository.id };
      github.apply(OPERATIONS.createGitRef, { ...there, ref: `refs/heads/${base}`, sha: sha ?? '' });
      const files = new Map([['release.txt', 'Soon.\n']]);
      if (head !== 'topic') github.apply(OPERATIONS.pushFiles, { ...there, branch: head, files });
      const second = github.apply(OPERATIONS.createPullRequest, {
        ...there,
        title: 'Release the shop',
        head,
        base,
      });
      await stage.settle();
      return storyOf(stage, scene, second);
    },
  };
}

function keyOf(stage: Stage, pr: PullView): string {
  const { ownerId, name } = pr.repository();
  const installation = [...stage.github.state().installations.values()].find(({ accountId }) => accountId === ownerId);
  const ref = { repositoryId: pr.repositoryId, number: pr.number, owner: '', repo: name };
  return pullRequestKey({ ...ref, installationId: installation?.id ?? 0 });
}

function speakerOf(stage: Stage, repository: FakeRepository, pull: FakePullRequest, account: FakeAccount): Speaker {
  const location = { accountId: account.id, repositoryId: repository.id, number: pull.number, branch: 'topic' };
  return speaker(stage, account, createPerson(stage.github.apply, location));
}

function modelScript(stage: Stage, pr: PullView): ModelScript {
  const mark = `"repository": "${pr.fullName}"`;
  const requests = () =>
    stage.model.requests.filter(({ messages }) => messages.some(({ content }) => content?.includes(mark)));
  const lastMessages = () => requests().at(-1)?.messages ?? [];
  return {
    proposes: (...calls) => stage.model.script({ calls }),
    says: (turn) => stage.model.script(turn),
    requests,
    lastMessages,
    toolMessages: () => {
      const messages = lastMessages();
      return toolTexts(messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1));
    },
    allToolMessages: () => toolTexts(lastMessages()),
  };
}

function toolTexts(messages: ChatRequest['messages']): readonly string[] {
  return messages.flatMap(({ role, content }) => (role === 'tool' && content !== null ? [content] : []));
}

/** An `edit_file` call. */
export function edit(
  path: string,
  oldString: string,
  newString: string,
  more: Readonly<Record<string, unknown>> = {},
): ScriptedCall {
  return { name: 'edit_file', arguments: { path, old_string: oldString, new_string: newString, ...more } };
}

/** A `write_file` call. */
export function write(path: string, content: string): ScriptedCall {
  return { name: 'write_file', arguments: { path, content } };
}

/** A `delete_file` call. */
export function remove(path: string, more: Readonly<Record<string, unknown>> = {}): ScriptedCall {
  return { name: 'delete_file', arguments: { path, ...more } };
}

/** A `move_file` call. */
export function move(from: string, to: string, more: Readonly<Record<string, unknown>> = {}): ScriptedCall {
  return { name: 'move_file', arguments: { from, to, ...more } };
}

/** A `read_file` call. */
export function read(path: string): ScriptedCall {
  return { name: 'read_file', arguments: { path } };
}
