import { hasPermission, type RequestIdentity } from '../http/auth.ts';
import type { ServerState } from '../http/server-state.ts';
import type { AppPermissionLevel } from '../state/github-state.ts';
import { GraphqlRequestError } from './execute.ts';

export type GraphqlContext = { readonly state: ServerState; readonly identity: RequestIdentity };

const NOT_ACCESSIBLE_MESSAGE = 'Resource not accessible by integration';

/** Throws FORBIDDEN for a token without this permission. */
export function requirePermission(context: GraphqlContext, name: string, level: AppPermissionLevel): void {
  const isPermitted =
    context.identity.kind === 'installation' && hasPermission(context.identity.token.permissions, name, level);
  if (!isPermitted) throw new GraphqlRequestError('FORBIDDEN', NOT_ACCESSIBLE_MESSAGE);
}
