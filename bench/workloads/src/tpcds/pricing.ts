import type { Random } from '../generate/random.ts';

/**
 * The prices of one line of a sale, in hundredths. Names are those of the columns; `ext` is for the whole
 * quantity.
 */
export interface Price {
  readonly quantity: number;
  readonly wholesaleCost: number;
  readonly listPrice: number;
  readonly salesPrice: number;
  readonly extDiscount: number;
  readonly extSalesPrice: number;
  readonly extWholesaleCost: number;
  readonly extListPrice: number;
  readonly taxPercent: number;
  readonly extTax: number;
  readonly coupon: number;
  readonly shipCost: number;
  readonly extShipCost: number;
  readonly netPaid: number;
  readonly netPaidIncTax: number;
  readonly netPaidIncShip: number;
  readonly netPaidIncShipTax: number;
  readonly netProfit: number;
}

/** The columns of a sale that is shipped to the buyer, from the quantity to the profit. */
export const sentPriceColumns = (price: Price): readonly number[] => [
  price.quantity,
  price.wholesaleCost,
  price.listPrice,
  price.salesPrice,
  price.extDiscount,
  price.extSalesPrice,
  price.extWholesaleCost,
  price.extListPrice,
  price.extTax,
  price.coupon,
  price.extShipCost,
  price.netPaid,
  price.netPaidIncTax,
  price.netPaidIncShip,
  price.netPaidIncShipTax,
  price.netProfit,
];

const MOST_QUANTITY = 100;
const COUPON_SHARE = 0.2;

/** @param mostMarkup the maximum markup on the wholesale cost; 1 makes the list price at most twice that */
export function priceOf(random: Random, mostMarkup: number): Price {
  const quantity = random.integer(1, MOST_QUANTITY);
  const wholesaleCost = random.integer(100, 10_000);
  const listPrice = Math.floor(wholesaleCost * (1 + mostMarkup * random.fraction()));
  const salesPrice = Math.floor((listPrice * random.integer(0, 100)) / 100);
  const extSalesPrice = salesPrice * quantity;
  const extListPrice = listPrice * quantity;
  const extWholesaleCost = wholesaleCost * quantity;
  const couponShare = random.fraction();
  const coupon = random.chance(COUPON_SHARE) ? Math.floor(extSalesPrice * couponShare) : 0;
  const taxPercent = random.integer(0, 9);
  const shipCost = Math.floor((listPrice * random.integer(0, 50)) / 100);
  const netPaid = extSalesPrice - coupon;
  const extTax = Math.floor((netPaid * taxPercent) / 100);
  const extShipCost = shipCost * quantity;
  return {
    quantity,
    wholesaleCost,
    listPrice,
    salesPrice,
    extDiscount: extListPrice - extSalesPrice,
    extSalesPrice,
    extWholesaleCost,
    extListPrice,
    taxPercent,
    extTax,
    coupon,
    shipCost,
    extShipCost,
    netPaid,
    netPaidIncTax: netPaid + extTax,
    netPaidIncShip: netPaid + extShipCost,
    netPaidIncShipTax: netPaid + extShipCost + extTax,
    netProfit: netPaid - extWholesaleCost,
  };
}

/**
 * The amounts of a returned line: quantity, amount, tax, amount with tax, fee, shipping, cash, charge, credit,
 * loss.
 */
export function returnOf(random: Random, price: Price): readonly number[] {
  const quantity = random.integer(1, price.quantity);
  const amount = price.salesPrice * quantity;
  const tax = Math.floor((amount * price.taxPercent) / 100);
  const fee = random.integer(50, 10_000);
  const shipCost = price.shipCost * quantity;
  const cash = Math.floor((amount * random.integer(0, 100)) / 100);
  const charge = Math.floor(((amount - cash) * random.integer(1, 100)) / 100);
  const credit = amount - cash - charge;
  return [quantity, amount, tax, amount + tax, fee, shipCost, cash, charge, credit, tax + fee + shipCost];
}
