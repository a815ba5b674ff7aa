import { breachIf, type Rule } from './rule.ts';

/** Rule 13. */
export const multiEngineHasItsMetadataService: Rule = ({ config: { instance } }) =>
  breachIf(
    instance.type === 'multi_engine' && instance.multi_engine === null,
    ['instance', 'multi_engine'],
    'is required when instance.type is multi_engine',
    [['instance', 'type']],
  );
