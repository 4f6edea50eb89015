"""The verbs as calls: arguments and result as data, one class for each verb.

The API makes a call and gives it to a transport. In process, a step of `mqi.steps` carries it out;
elsewhere `remote` sends it. `table` lists all calls, with the kinds of their fields.
"""
