import type { StageId } from '../../distributed-plan.ts';
import type { Relation } from '../../relational/relation.ts';
import { inputsOf } from '../tree/inputs.ts';
import type { Planning, StageDraft } from './planning.ts';

/** The stages that must have finished before the stage of a draft can start. */
export const stagesBefore = (planning: Planning, { relation, after }: StageDraft): readonly StageId[] => [
  ...stagesRead(planning, relation),
  ...after,
];

/** The stages that a relation reads, or whose keys filter its scans. */
function stagesRead(planning: Planning, relation: Relation): readonly StageId[] {
  switch (relation.kind) {
    case 'input':
      return [planning.readings.get(relation.id)!.stage];
    case 'scan':
      return (planning.dynamicFilters.get(relation) ?? []).map(({ stage }) => stage);
    default:
      return inputsOf(relation).flatMap((input) => stagesRead(planning, input));
  }
}
