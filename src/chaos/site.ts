import { environmentFor } from '../simulator/environment.ts';
import { type ScriptedModel, startScriptedModel } from '../simulator/model/scripted-model.ts';
import { type Person, personOn } from '../simulator/people/person.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { OPERATIONS } from '../simulator/world/operations.ts';
import type { PullRequest } from '../simulator/world/state.ts';
import { answer, ROWS_PATH, rowsText } from './rows.ts';

/** A simulated GitHub with one repository, its pull requests, and a model. */
export type Site = {
  readonly github: Simulator;
  readonly model: ScriptedModel;
  readonly repositoryId: number;
  readonly pulls: readonly SitePull[];
  /** The variables that point the App here; it listens on any free port. */
  readonly environment: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
};

/** A pull request and the person who works on it. */
export type SitePull = {
  readonly number: number;
  readonly branch: string;
  readonly now: () => PullRequest;
  /** Lets the person do something, in a second of its own: GitHub's times are whole ones. */
  readonly act: <Value>(deed: (person: Person) => Value) => Value;
};

export async function openSite(pulls: number): Promise<Site> {
  let ahead = 0;
  const github = await startSimulator({ now: () => Date.now() + ahead, webhookSecret: 'the secret of the trial' });
  const model = await startScriptedModel({ apiKey: 'model-key' });
  model.otherwise(answer);
  const { apply } = github;
  const owner = apply(OPERATIONS.addAccount, { login: 'acme', type: 'Organization' });
  const ana = apply(OPERATIONS.addAccount, { login: 'ana' });
  const files = new Map([['README.md', { mode: '100644' as const, bytes: Buffer.from('# Rows\n') }]]);
  const repository = apply(OPERATIONS.addRepository, { ownerId: owner.id, name: 'rows', files });
  apply(OPERATIONS.installApp, { appId: github.app.id, accountId: owner.id });
  apply(OPERATIONS.setPermission, { repositoryId: repository.id, accountId: ana.id, permission: 'write' });
  const base = repository.refs.get('refs/heads/main') ?? '';
  const there = { actor: { accountId: ana.id, viaAppId: null }, repositoryId: repository.id };
  const opened = Array.from({ length: pulls }, (_, index) => {
    const branch = `rows-${index + 1}`;
    apply(OPERATIONS.createRef, { ...there, ref: `refs/heads/${branch}`, sha: base });
    apply(OPERATIONS.pushFiles, { ...there, branch, files: new Map([[ROWS_PATH, rowsText(new Map())]]) });
    const { number } = apply(OPERATIONS.openPull, { ...there, title: `Rows ${index + 1}`, head: branch });
    const person = personOn(apply, { accountId: ana.id, repositoryId: repository.id, number, branch });
    const now = (): PullRequest => {
      const pull = github.world().repositories.get(repository.id)?.pulls.get(number);
      if (pull === undefined) throw new Error(`There is no pull request ${number}.`);
      return pull;
    };
    const act: SitePull['act'] = (deed) => {
      ahead += 1_100;
      const value = deed(person);
      ahead += 1_100;
      return value;
    };
    return { number, branch, now, act };
  });
  return {
    ...{ github, model, repositoryId: repository.id, pulls: opened },
    environment: environmentFor(github, model),
    close: async () => {
      await Promise.all([github.close(), model.close()]);
    },
  };
}
