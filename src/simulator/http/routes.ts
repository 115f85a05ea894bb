import { APP_ROUTES } from './app-routes.ts';
import { GIT_ROUTES } from './git-routes.ts';
import { HOOK_ROUTES } from './hook-routes.ts';
import { ISSUE_COMMENT_ROUTES } from './issue-comment-routes.ts';
import { PULL_ROUTES } from './pull-routes.ts';
import { REPOSITORY_ROUTES } from './repository-routes.ts';
import { REVIEW_COMMENT_ROUTES } from './review-comment-routes.ts';
import { REVIEW_ROUTES } from './review-routes.ts';
import { compileRoutes, type RouteTable } from './route.ts';

/** Every REST operation the simulator answers; anything else is an unknown route. */
export const ROUTES: RouteTable = compileRoutes([
  ...APP_ROUTES,
  ...HOOK_ROUTES,
  ...REPOSITORY_ROUTES,
  ...PULL_ROUTES,
  ...REVIEW_ROUTES,
  ...REVIEW_COMMENT_ROUTES,
  ...ISSUE_COMMENT_ROUTES,
  ...GIT_ROUTES,
]);
