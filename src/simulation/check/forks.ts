import { historyEntries } from '../../simulator/world/history.ts';
import { onPull, standingOf } from '../github/port.ts';
import type { Check } from './evidence.ts';

/** F15: nothing is committed for a pull request from a fork, neither there nor to a branch of the same name here. */
export const forksStayUntouched: Check = ({ happenings, played: { hub, scene } }) => {
  const tried = happenings.flatMap((one) => {
    if (one.kind !== 'committed') return [];
    const { repository, pull } = standingOf(hub, onPull(scene, one.number));
    return pull.head.repositoryId === repository.id
      ? []
      : [`F15: a commit of ${one.plan.proposalIds.join(', ')} was tried, and #${one.number} comes from a fork`];
  });
  const written = historyEntries(hub.world.history).filter(
    ({ viaAppId, ref, repositoryId }) => viaAppId !== null && ref !== null && repositoryId !== scene.repositoryId,
  );
  return [...tried, ...written.map(({ ref }) => `F15: the App wrote to ${ref} of a fork`)];
};
