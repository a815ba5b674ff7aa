/** The settings of one statement, in the order in which they were given. */
export type SettingPairs = readonly (readonly [name: string, value: string])[];
