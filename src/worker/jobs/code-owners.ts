import { findOwners, isOwner, isTeam, MAX_CODEOWNERS_BYTES, ownersOf } from '../../core/policy/code-owners.ts';
import type { CodeOwners } from '../../core/state/settings.ts';
import type { Person } from '../../core/state/vote.ts';
import type { GitHub } from '../../core/step/ports.ts';
import type { PullContext } from './job.ts';

/** The paths of a decision that need an owner's approval, and the people whose approvals could be one. */
type CodeOwnersQuery = { readonly paths: readonly string[]; readonly people: readonly Person[] };

/**
 * Reads who owns the paths on the default branch. Asks for members of teams only while a person is not known to own a
 * path, each team and person once.
 */
export async function fetchCodeOwners(context: PullContext, query: CodeOwnersQuery): Promise<CodeOwners> {
  const found = await readOwners(context, query.paths);
  const teams: Record<string, number[] | null> = Object.create(null);
  for (const person of query.people) await askTeams(context.github, found, { person, paths: query.paths, teams });
  return { ...found, teams: Object.fromEntries(Object.entries(teams)) };
}

/** Nobody owns anything without a plain file of a size that GitHub reads. */
async function readOwners({ github }: PullContext, paths: readonly string[]): Promise<CodeOwners> {
  const bytes = (await github.fetchCodeOwnersFile())?.bytes ?? 'missing';
  const isUsable = typeof bytes !== 'string' && bytes.byteLength <= MAX_CODEOWNERS_BYTES;
  return { owners: isUsable ? findOwners({ bytes, paths }) : {}, teams: {} };
}

type TeamQuestions = {
  readonly person: Person;
  readonly paths: readonly string[];
  /** The answers so far, by team in lower case. */
  readonly teams: Record<string, number[] | null>;
};

async function askTeams(github: GitHub, found: CodeOwners, { person, paths, teams }: TeamQuestions): Promise<void> {
  const asked = new Set<string>();
  for (const path of paths) {
    for (const owner of ownersOf(path, found)) {
      if (isOwner(person, path, { ...found, teams })) break;
      const team = owner.toLowerCase();
      if (!isTeam(team) || asked.has(team) || teams[team] === null) continue;
      asked.add(team);
      const membership = await github.fetchTeamMembership(team, person.login);
      if (membership === 'unreadable') teams[team] = null;
      else teams[team] = [...(teams[team] ?? []), ...(membership === 'member' ? [person.id] : [])];
    }
  }
}
