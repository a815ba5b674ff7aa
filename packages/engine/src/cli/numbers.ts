import { InvalidArgumentError } from 'commander';

/** A Commander parser for integers from `min` to `max`. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`Expected an integer from ${min} to ${max}.`);
    return value;
  };

export const port = wholeNumber(0, 65_535);
