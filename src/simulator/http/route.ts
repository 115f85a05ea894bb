import type { Answer } from './answer.ts';
import type { Call, RepositoryCall } from './call.ts';
import type { Need } from './permission-need.ts';

/**
 * One operation: its name as GitHub's description writes it (`GET /repos/{owner}/{repo}`), who may call
 * it, and what answers it. Repository routes are called by installations only, within their reach.
 */
export type Route =
  | {
      readonly scope: 'global';
      readonly name: string;
      readonly caller: 'app' | 'anyone';
      readonly handle: (call: Call) => Answer;
    }
  | {
      readonly scope: 'repository';
      readonly name: string;
      readonly need: Need;
      readonly handle: (call: RepositoryCall) => Answer;
    };

/** A route and the decoded values of its path. */
export type Match = { readonly route: Route; readonly params: Readonly<Record<string, string>> };

export type RouteTable = readonly { readonly method: string; readonly pattern: RegExp; readonly route: Route }[];

/** A route for the App itself (JWT) or for anyone. */
export function globalRoute(name: string, caller: 'app' | 'anyone', handle: (call: Call) => Answer): Route {
  return { scope: 'global', name, caller, handle };
}

/** A route inside a repository; `rest` is what follows `/repos/{owner}/{repo}` (`GET /pulls/{pull_number}`). */
export function repositoryRoute(rest: string, need: Need, handle: (call: RepositoryCall) => Answer): Route {
  const [method = '', path = ''] = rest.split(' ');
  return { scope: 'repository', name: `${method} /repos/{owner}/{repo}${path}`, need, handle };
}

/** Operations whose last value may hold slashes. */
const WITH_SLASHES =
  /(\/contents\/\{path\}|\/git\/refs?\/\{ref\}|\/tarball\/\{ref\}|\/branches\/\{branch\}|\/compare\/\{basehead\})$/;

/** Makes the table that `matchRoute` reads. */
export function compileRoutes(routes: readonly Route[]): RouteTable {
  return routes.map((route) => {
    const [method = '', path = ''] = route.name.split(' ');
    const greedy = WITH_SLASHES.test(path);
    const source = path.replace(/\{(\w+)\}/g, (whole, name: string, at: number) => {
      const last = at + whole.length === path.length;
      return `(?<${name}>${greedy && last ? '.+' : '[^/]+'})`;
    });
    return { method, pattern: new RegExp(`^${source}$`), route };
  });
}

/** The route of a method and an encoded path, or undefined. A path that is no valid encoding matches nothing. */
export function matchRoute(table: RouteTable, method: string, path: string): Match | undefined {
  for (const { method: wanted, pattern, route } of table) {
    const match = wanted === method ? pattern.exec(path) : null;
    const params = match === null ? undefined : decoded(match.groups ?? {});
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function decoded(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}
