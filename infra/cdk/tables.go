package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"merve/infra/wiring"
)

// addTables makes the tables in a stack of their own: functions come and go, and what is stored stays. Tables of a given
// name can be found again by a stack that is made anew.
func (s *stack) addTables(data constructs.Construct, ts []wiring.Table) {
	for _, t := range ts {
		s.tables[t.Name] = s.newTable(data, t)
	}
}

// newTable makes a table of the kind that can have replicas in other regions (AWS::DynamoDB::GlobalTable), so that a second region
// is a line more and no other table.
func (s *stack) newTable(data constructs.Construct, t wiring.Table) awsdynamodb.ITableV2 {
	props := &awsdynamodb.TablePropsV2{
		TableName:           s.tableName(t.Name),
		PartitionKey:        attribute("pk", false),
		SortKey:             attribute("sk", false),
		Billing:             awsdynamodb.Billing_OnDemand(nil),
		TimeToLiveAttribute: jsii.String("ttl"),
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(true),
		},
		RemovalPolicy:      s.removal(),
		DeletionProtection: jsii.Bool(!s.Disposable),
	}
	if t.Stream {
		props.DynamoStream = awsdynamodb.StreamViewType_NEW_AND_OLD_IMAGES
	}
	var indexes []*awsdynamodb.GlobalSecondaryIndexPropsV2
	for _, ix := range t.Indexes {
		indexes = append(indexes, &awsdynamodb.GlobalSecondaryIndexPropsV2{
			IndexName:      jsii.String(ix.Name),
			PartitionKey:   attribute(ix.PK, false),
			SortKey:        attribute(ix.SK, ix.Number),
			ProjectionType: projection(ix),
		})
	}
	if len(indexes) > 0 {
		props.GlobalSecondaryIndexes = &indexes
	}
	return awsdynamodb.NewTableV2(data, id(t.Name, "Table"), props)
}

// tableName is the name that the deployment gives a table; nil has CloudFormation choose one.
func (s *stack) tableName(name string) *string {
	if s.Tables == "" {
		return nil
	}
	return jsii.String(s.Tables + name)
}

func projection(ix wiring.Index) awsdynamodb.ProjectionType {
	if ix.All {
		return awsdynamodb.ProjectionType_ALL
	}
	return awsdynamodb.ProjectionType_KEYS_ONLY
}

func attribute(name string, number bool) *awsdynamodb.Attribute {
	kind := awsdynamodb.AttributeType_STRING
	if number {
		kind = awsdynamodb.AttributeType_NUMBER
	}
	return &awsdynamodb.Attribute{Name: jsii.String(name), Type: kind}
}
