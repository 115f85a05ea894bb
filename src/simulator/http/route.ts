import type { Answer } from './answer.ts';
import type { Call } from './call.ts';
import type { Need } from './permission-need.ts';

/** One operation: its name as GitHub's description writes it (`GET /repos/{owner}/{repo}`), and who may call it. */
export type Route = {
  readonly name: string;
  readonly need: Need;
  readonly handle: (call: Call) => Answer;
};

/** A route and the decoded values of its path. */
export type Match = { readonly route: Route; readonly params: Readonly<Record<string, string>> };

type Compiled = { readonly method: string; readonly pattern: RegExp; readonly route: Route };
export type RouteTable = readonly Compiled[];

/** Operations whose last value may hold slashes. */
const WITH_SLASHES =
  /(\/contents\/\{path\}|\/git\/refs?\/\{ref\}|\/tarball\/\{ref\}|\/branches\/\{branch\}|\/compare\/\{basehead\})$/;

/** Makes the table that `matchRoute` reads. */
export function compileRoutes(routes: readonly Route[]): RouteTable {
  return routes.map((route) => {
    const [method = '', path = ''] = route.name.split(' ');
    const greedy = WITH_SLASHES.test(path);
    const source = path.replace(/\{(\w+)\}/g, (_whole, name: string, at: number) => {
      const last = at + name.length + 2 === path.length;
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
