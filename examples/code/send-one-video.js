return $('When Executed by Another Workflow').all().map(chosen);
