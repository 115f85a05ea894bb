import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { SETTINGS_PATH } from '../../../src/core/settings/repo-settings.ts';
import { type CaseFixture, HEAD_BRANCH, OTHER_BASE } from './fixture.ts';
import type { Random } from './random.ts';
import {
  CODEOWNERS_PATH,
  findInstallation,
  OWNERS_TEAM,
  readOwnersTeam,
  type SimulatedGitHub,
} from './simulated-github.ts';

/** No standing approval covers this file. In cases with `GATE_DOCS` people must approve it before it is read. */
export const GUARDED_PATH = 'docs/agents.md';

/** Settings by which the agent changes nothing below `docs`. */
export const DENY_DOCS =
  'rules: [{tools: [edit_file, write_file, delete_file, move_file], paths: ["docs/**"], decide: deny}]\n';

/** Settings by which people approve each reading below `docs`. The first rule decides, not the last one. */
export const GATE_DOCS =
  'rules: [{tools: [read_file], paths: ["docs/**"], decide: ask}, {tools: [read_file], paths: ["**"], decide: allow}]\n';

type OwnerContext = { readonly simulatedGitHub: SimulatedGitHub; readonly fixture: CaseFixture };

const SUSPENDED = '(the App is suspended)';

const REMOVED = '(the App is removed)';

/** Descriptions of the actions that suspend or remove the App. */
export const APP_DISABLED_ACTIONS: ReadonlySet<string> = new Set([SUSPENDED, REMOVED]);

export function suspendInstallation({ simulatedGitHub, fixture }: OwnerContext): string | null {
  const installation = findInstallation(simulatedGitHub.state, fixture);
  if (installation === undefined || installation.suspendedAt !== null) return null;
  simulatedGitHub.apply(OPERATIONS.suspendApp, { installationId: installation.id, suspended: true });
  return SUSPENDED;
}

export function removeInstallation({ simulatedGitHub, fixture }: OwnerContext): string | null {
  const installation = findInstallation(simulatedGitHub.state, fixture);
  if (installation === undefined) return null;
  simulatedGitHub.apply(OPERATIONS.uninstallApp, { installationId: installation.id });
  return REMOVED;
}

/** Ends a suspension, or installs a removed App again. Null if the App is active. */
export function restoreInstallation({ simulatedGitHub, fixture }: OwnerContext): string | null {
  const installation = findInstallation(simulatedGitHub.state, fixture);
  if (installation === undefined) {
    simulatedGitHub.apply(OPERATIONS.installApp, { appId: fixture.appId, accountId: fixture.people.acme });
    return '(the App is installed anew)';
  }
  if (installation.suspendedAt === null) return null;
  simulatedGitHub.apply(OPERATIONS.suspendApp, { installationId: installation.id, suspended: false });
  return '(the App may act again)';
}

type RepositoryContext = OwnerContext & { readonly random: Random };

/** Removes or restores ben's write permission. */
export function toggleWriteAccess({ simulatedGitHub, fixture }: RepositoryContext): string {
  const accountId = fixture.people.ben;
  const { repositoryId } = fixture;
  const writes =
    simulatedGitHub.state.repositories.get(repositoryId)?.collaborators.get(accountId)?.permission === 'write';
  const permission = writes ? 'read' : 'write';
  simulatedGitHub.apply(OPERATIONS.setPermission, { repositoryId, accountId, permission });
  return `(ben may ${permission} from now on)`;
}

export function changeSettings(context: RepositoryContext): string {
  const { random } = context;
  const settings = random.pick([
    ...['review_event: request-changes\n', 'standing_approvals: path\n', 'broken: [\n', null],
    ...[DENY_DOCS, DENY_DOCS, GATE_DOCS, 'limits: {turns: 2, proposals_per_turn: 1}\n'],
    ...STRICTER_RULES,
  ]);
  return settings === null || typeof settings === 'string'
    ? saveSettings(context, settings)
    : saveRules(context, ...settings);
}

/** Gives every path to one person or a team, also between an approval and its commit. Mostly the settings then ask for owners. */
export function changeOwners(context: RepositoryContext): string {
  const { random } = context;
  const owners = random.pick(['* @ana\n', '* @ben\n', TEAM_OWNS_ALL]);
  const settings = random.pick(['approvers: codeowners\n', 'approvers: codeowners\n', 'approvers: write\n']);
  return saveRules(context, settings, owners);
}

const TEAM_OWNS_ALL = `* @${OWNERS_TEAM}\n`;

/** Fills the owners' team anew. From its first members on, the App can mostly see them. */
export function changeTeam({ simulatedGitHub, fixture, random }: RepositoryContext): string {
  const members = random.pick([['ana'], ['ben'], ['ana', 'ben'], []] as const);
  simulatedGitHub.apply(OPERATIONS.setTeam, {
    team: OWNERS_TEAM,
    memberIds: members.map((login) => fixture.people[login]),
  });
  const installation = findInstallation(simulatedGitHub.state, fixture);
  if (installation !== undefined && readOwnersTeam(simulatedGitHub, fixture) === null && random.chance(0.8)) {
    const permissions = { ...installation.permissions, members: 'read' } as const;
    simulatedGitHub.apply(OPERATIONS.acceptPermissions, { installationId: installation.id, permissions });
  }
  return `(the owners' team is ${members.join(' and ') || 'nobody'} from now on)`;
}

/** Settings with the `CODEOWNERS` that belongs to them, and with members of a team that this names. */
function saveRules(context: RepositoryContext, settings: string, owners: string): string {
  const saved = saveSettings(context, settings, owners);
  return owners.includes(OWNERS_TEAM) ? `${changeTeam(context)} ${saved}` : saved;
}

/** Settings that ask for more people, or for owners, with the `CODEOWNERS` that belongs to them. */
const STRICTER_RULES: readonly (readonly [settings: string, owners: string])[] = [
  ['required_approvals: 2\n', '* @ben\n'],
  ['require:\n  - {paths: [src/**], approvals: 1}\n  - {paths: [src/**], approvals: 2}\n', '* @ben\n'],
  ['approvers: codeowners\n', '* @ana\n/src/cart.ts @ben\n'],
  ['require:\n  - {paths: [src/total.ts], approvers: codeowners}\n', '* @ben\n'],
  ['approvers: codeowners\nrequired_approvals: 2\n', '* @ana @ben\n/docs/agents.md\n'],
  ['approvers: codeowners\n', TEAM_OWNS_ALL],
  ['require:\n  - {paths: [src/**], approvals: 2, approvers: codeowners}\n', TEAM_OWNS_ALL],
];

/** Changes the file of settings on the default branch; null deletes it. */
function saveSettings({ simulatedGitHub, fixture }: OwnerContext, settings: string | null, owners?: string): string {
  const actor = { accountId: fixture.people.acme, viaAppId: null };
  const files = new Map([[SETTINGS_PATH, settings]]);
  if (owners !== undefined) files.set(CODEOWNERS_PATH, owners);
  const { repositoryId } = fixture;
  const outcome = simulatedGitHub.apply(OPERATIONS.pushFiles, { actor, repositoryId, branch: 'main', files });
  return outcome.ok ? `(the settings are ${JSON.stringify(settings)} from now on)` : '(the settings stay)';
}

/** Adds a branch rule that people can bypass. It can refuse the App's commits or dismiss approvals. */
export function addBranchRule({ simulatedGitHub, fixture, random }: RepositoryContext): string {
  const type = random.pick(['update', 'pull_request', 'required_signatures'] as const);
  const accountIds = Object.values(fixture.people);
  const bypassIds = random.chance(0.3) ? [...accountIds, fixture.botId] : accountIds;
  const dismissesStaleReviews = random.chance(0.5);
  const ruleset = { branches: [HEAD_BRANCH], types: [type], bypassIds, dismissesStaleReviews };
  simulatedGitHub.apply(OPERATIONS.addRuleset, { repositoryId: fixture.repositoryId, ruleset });
  return `(the branch has the rule ${type} from now on${bypassIds.includes(fixture.botId) ? ', not for the App' : ''})`;
}

/** Opens a second pull request of the same branch. */
export function openSecondPull({
  simulatedGitHub,
  fixture: { people, repositoryId },
}: RepositoryContext): string | null {
  const actor = { accountId: people.ana, viaAppId: null };
  const input = { actor, repositoryId, title: 'The same work elsewhere', head: HEAD_BRANCH, base: OTHER_BASE };
  const outcome = simulatedGitHub.apply(OPERATIONS.createPullRequest, input);
  return outcome.ok ? `(#${outcome.value.number} is opened for the same branch)` : null;
}

/** Makes the repository require two approvals or those of owners, which the other settings can change later. */
export function requireTwoApprovals(context: RepositoryContext): string {
  return saveRules(context, ...context.random.pick(STRICTER_RULES));
}

/** Makes people approve some readings, until other settings take their place. */
export function gateReadings({ simulatedGitHub, fixture }: OwnerContext): string {
  return saveSettings({ simulatedGitHub, fixture }, GATE_DOCS);
}
