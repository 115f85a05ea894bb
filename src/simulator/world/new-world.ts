import { newObjectStore } from '../git/object-store.ts';
import { EMPTY_HISTORY } from './history.ts';
import type { Account, Site, World } from './state.ts';
import { nodeId } from './update.ts';

/** The account that commits what is made on GitHub's pages and through its API. */
export const WEB_FLOW: Account = {
  id: 19_864_447,
  nodeId: nodeId('U', 19_864_447),
  login: 'web-flow',
  type: 'User',
  createdAt: '2016-06-10T00:00:00Z',
};

/** An empty GitHub. Ids are counted from 1,001, so that no id looks like a number of a pull request. */
export function newWorld(site: Site): World {
  return {
    site,
    store: newObjectStore(),
    nextId: 1_001,
    accounts: new Map([[WEB_FLOW.id, WEB_FLOW]]),
    apps: new Map(),
    installations: new Map(),
    repositories: new Map(),
    history: EMPTY_HISTORY,
  };
}

/** The same world reached under another address: a server learns its port after the world was made. */
export function atSite(world: World, site: Site): World {
  return { ...world, site };
}
