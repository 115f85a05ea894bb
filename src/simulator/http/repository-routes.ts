import { permissionPayload } from '../payloads/account-payload.ts';
import { repositoryPayload } from '../payloads/repository-payload.ts';
import type { RulePolicy } from '../world/access.ts';
import { fullName, roleOf } from '../world/lookup.ts';
import { type Answer, listed, notFound, refused, shown } from './answer.ts';
import { redirectToArchive } from './archive-routes.ts';
import { type RepositoryCall, textParam } from './call.ts';
import { compareCommits, listCommits, showCommit } from './commit-handlers.ts';
import { showContents } from './contents-handler.ts';
import { findAccount } from './find.ts';
import { needs } from './permission-need.ts';
import { type Route, repositoryRoute } from './route.ts';

const METADATA = needs('metadata', 'read');
const CONTENTS = needs('contents', 'read');

/** The repository, who may do what in it, and its content by path and by commit. */
export const REPOSITORY_ROUTES: readonly Route[] = [
  repositoryRoute('GET ', METADATA, ({ state, repository }) =>
    shown(state, repositoryPayload(state.world, repository)),
  ),
  repositoryRoute('GET /collaborators/{username}/permission', METADATA, showPermission),
  repositoryRoute('GET /rules/branches/{branch}', METADATA, listRules),
  repositoryRoute('GET /commits', CONTENTS, listCommits),
  repositoryRoute('GET /commits/{ref}', CONTENTS, showCommit),
  repositoryRoute('GET /compare/{basehead}', CONTENTS, compareCommits),
  repositoryRoute('GET /contents/{path}', CONTENTS, showContents),
  repositoryRoute('GET /tarball/{ref}', CONTENTS, redirectToArchive),
];

/** Bots are no users here: GitHub answers 404 for them. */
function showPermission(call: RepositoryCall): Answer {
  const { state, repository } = call;
  const login = textParam(call, 'username');
  const account = findAccount(state.world, login);
  if (account === undefined) return notFound(state);
  if (account.type !== 'User') return refused(state, 404, `${login} is not a user`);
  return shown(state, permissionPayload(state.world, account, roleOf(repository, account.id)));
}

function listRules(call: RepositoryCall): Answer {
  const branch = textParam(call, 'branch');
  const policies = call.repository.rules.filter(({ branches }) => branches.includes('*') || branches.includes(branch));
  return listed(
    call.state,
    policies.flatMap((policy) => policy.types.map((type) => rule(call, policy, type))),
  );
}

function pullRequestParameters({ dismissesStaleReviews = false }: RulePolicy): object {
  return {
    dismiss_stale_reviews_on_push: dismissesStaleReviews,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_approving_review_count: 1,
    required_review_thread_resolution: false,
  };
}

function rule(call: RepositoryCall, policy: RulePolicy, type: RulePolicy['types'][number]): unknown {
  return {
    type,
    ...(type === 'pull_request' ? { parameters: pullRequestParameters(policy) } : {}),
    ...(type === 'update' ? { parameters: { update_allows_fetch_and_merge: false } } : {}),
    ruleset_source_type: 'Repository',
    ruleset_source: fullName(call.state.world, call.repository),
    ruleset_id: policy.rulesetId,
  };
}
