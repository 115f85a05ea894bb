import type { FakeGitHub } from '../../fakes/github/fake-github.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { CollaboratorPermission, FakeAccount } from '../../fakes/github/state/github-state.ts';

export const PERSON_NAMES = ['ana', 'ben', 'carl', 'rita', 'sam'] as const;

export type PersonName = (typeof PERSON_NAMES)[number];

type Role = { readonly permission: CollaboratorPermission; readonly is: string; readonly can: string };

/** The people of the page, and what each of them can do on the pull request. */
export const ROLES = {
  ana: { permission: 'write', is: 'maintainer', can: 'may give tasks, approve and deny' },
  ben: { permission: 'write', is: 'maintainer', can: 'may give tasks, approve and deny' },
  carl: { permission: 'read', is: 'author', can: 'opened this pull request; may deny and stop, not approve' },
  rita: { permission: 'read', is: 'reader', can: 'may read and comment; decides nothing' },
  sam: { permission: 'none', is: 'stranger', can: 'may comment, because the repository is public; decides nothing' },
} as const satisfies Record<PersonName, Role>;

export function isPersonName(name: string): name is PersonName {
  return name in ROLES;
}

export type People = Readonly<Record<PersonName, FakeAccount>>;

export function addPeople(github: FakeGitHub): People {
  const add = (login: PersonName): FakeAccount => github.apply(OPERATIONS.addAccount, { login });
  return { ana: add('ana'), ben: add('ben'), carl: add('carl'), rita: add('rita'), sam: add('sam') };
}

/** Gives everybody their role in a repository. */
export function addCollaborators(github: FakeGitHub, repositoryId: number, people: People): void {
  for (const name of PERSON_NAMES) {
    const { permission } = ROLES[name];
    if (permission !== 'none')
      github.apply(OPERATIONS.setPermission, { repositoryId, accountId: people[name].id, permission });
  }
}
