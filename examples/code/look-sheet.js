const newEntries = (begin) => entriesOf($('Get Do-Not-Contact Again').all(), 'of those', begin);
