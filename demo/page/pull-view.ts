import type {
  FakeAccount,
  FakePullRequest,
  FakeRepository,
  GitHubState,
} from '../../fakes/github/state/github-state.ts';
import { canPush } from '../../fakes/github/state/lookup.ts';
import { demoPullOf } from '../pull-request.ts';
import type { PersonName } from '../scenes/people.ts';
import type { Play, Session } from './session.ts';

export const TABS = ['conversation', 'commits', 'files'] as const;

export type Tab = (typeof TABS)[number];

/** What a person sees of a pull request, and how the address asks to show it. */
export type PullView = {
  readonly session: Session;
  readonly play: Play;
  readonly person: PersonName;
  readonly tab: Tab;
  readonly isSplit: boolean;
  readonly showsBehind: boolean;
  readonly github: GitHubState;
  readonly repository: FakeRepository;
  readonly pull: FakePullRequest;
  readonly actor: FakeAccount;
  readonly canPush: boolean;
  readonly botId: number;
};

type ViewRequest = Pick<PullView, 'session' | 'play' | 'person' | 'tab' | 'isSplit' | 'showsBehind'>;

export function createPullView(request: ViewRequest): PullView {
  const { session, play, person } = request;
  const github = session.github.state();
  const repository = github.repositories.get(play.repositoryId);
  if (repository === undefined) throw new Error('The fake GitHub does not have the repository.');
  const actor = session.people[person];
  return {
    ...request,
    ...{ github, repository, actor, pull: demoPullOf(session.github, play), botId: session.github.app.botId },
    canPush: canPush(repository, actor.id),
  };
}

/** The address of a tab, with how it is shown now. */
export function addressOf(
  { play, tab, isSplit, showsBehind }: Pick<PullView, 'play' | 'tab' | 'isSplit' | 'showsBehind'>,
  changes: Partial<Pick<PullView, 'tab' | 'isSplit' | 'showsBehind'>> = {},
): string {
  const shown = { tab, isSplit, showsBehind, ...changes };
  const query = [...(shown.isSplit ? ['diff=split'] : []), ...(shown.showsBehind ? ['behind=1'] : [])].join('&');
  const path = shown.tab === 'conversation' ? '' : `/${shown.tab}`;
  return `/${play.name.replace('#', '/pull/')}${path}${query === '' ? '' : `?${query}`}`;
}
